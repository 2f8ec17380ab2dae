import { Context, Duration } from "effect"

/** How long the store may keep somebody waiting. */
export class S3Deadlines extends Context.Reference<S3Deadlines>()("casework/S3Deadlines", {
  defaultValue: () => ({
    /** Until an answer begins, however often the client tries. */
    answer: Duration.seconds(30),
    /**
     * Without any progress of bytes that are on their way, in either direction. The system takes the last megabytes of an
     * upload at once, and sends them unseen: on a poor line that too takes a while.
     */
    stalled: Duration.minutes(1)
  })
}) {}
