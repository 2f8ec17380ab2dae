import { Context } from "effect"

/** How long a connection may take, in milliseconds. */
export class Deadlines extends Context.Reference<Deadlines>()("casework/Deadlines", {
  defaultValue: () => ({
    /** Until the headers have arrived. */
    headers: 15_000,
    /** Until the body has arrived too: 25 MiB of photos from a telephone, where the network is poor. */
    request: 300_000,
    /** How often the limits for headers and body are looked at. */
    check: 5_000,
    /** Between two requests. */
    idle: 65_000,
    /** Without a byte in either direction: longer than any answer takes to begin. */
    stalled: 300_000,
    /** For requests under way, once the service was told to stop. */
    stop: 10_000
  })
}) {}
