import { Context } from "effect"

/** How long a connection may take, in milliseconds. */
export class Deadlines extends Context.Reference<Deadlines>()("casework/Deadlines", {
  defaultValue: () => ({
    /** Until the headers have arrived. */
    headers: 15_000,
    /** Until the body has arrived, too: 25 MiB of photos from a phone on a poor network. */
    request: 300_000,
    /** How often the limits for headers and body are checked. */
    check: 5_000,
    /** Between two requests. */
    idle: 65_000,
    /** Without a byte in either direction: longer than any response takes to begin. */
    stalled: 300_000,
    /** Until a file has been sent completely, however slowly it is read. */
    sending: 7_200_000,
    /** For requests under way once the service was told to stop. */
    stop: 10_000
  })
}) {}
