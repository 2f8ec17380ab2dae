import { Context, Duration } from "effect"

/** How long an AI provider may take, and how often it is asked again. */
export class AiLimits extends Context.Reference<AiLimits>()("casework/AiLimits", {
  defaultValue: () => ({
    /** One attempt, up to the last byte of the response. */
    attempt: Duration.seconds(45),
    /**
     * All attempts and the pauses between them, including the wait for a turn beforehand, which may take at most half
     * of it.
     */
    total: Duration.seconds(100),
    /** Retries after a first attempt that failed for a transient reason. */
    retries: 3,
    /** Before the first retry; doubled each time, with jitter. */
    pause: Duration.millis(500),
    /** A provider that asks for a longer pause counts as failed. */
    longestPause: Duration.seconds(20),
    /** Concurrent calls of one customer on this node. */
    atOnce: 4
  })
}) {}
