import { Context, Duration } from "effect"

/** How long an AI provider may take, and how often it is asked again. */
export class AiLimits extends Context.Reference<AiLimits>()("casework/AiLimits", {
  defaultValue: () => ({
    /** One attempt, to the last byte of its answer. */
    attempt: Duration.seconds(45),
    /** All attempts and the pauses between them, and before them the wait for its turn: that, at most half of it. */
    total: Duration.seconds(100),
    /** After the first attempt, when it failed for a passing reason. */
    retries: 3,
    /** Before the first retry; doubled each time, with jitter. */
    pause: Duration.millis(500),
    /** A provider that asks for a longer pause has failed. */
    longestPause: Duration.seconds(20),
    /** Calls of one customer on this node. */
    atOnce: 4
  })
}) {}
