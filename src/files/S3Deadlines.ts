import { Context, Duration } from "effect"

/** How long the store may keep a caller waiting. */
export class S3Deadlines extends Context.Reference<S3Deadlines>()("casework/S3Deadlines", {
  defaultValue: () => ({
    /** Until a response begins, however often the client retries. */
    answer: Duration.seconds(30),
    /**
     * Without any progress of bytes under way, in either direction. The operating system accepts the last megabytes of
     * an upload at once and sends them unseen, which also takes a while on a slow line.
     */
    stalled: Duration.minutes(1)
  })
}) {}
