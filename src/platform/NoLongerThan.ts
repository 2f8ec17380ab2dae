import { type Duration, Effect } from "effect"

/**
 * Waits for something while a scope closes, and goes on without it after a while. What runs then cannot be interrupted
 * unless it allows that: a time limit alone would wait for what it limits.
 */
export const noLongerThan =
  (limit: Duration.DurationInput) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    work.pipe(Effect.interruptible, Effect.timeoutOption(limit), Effect.asVoid)
