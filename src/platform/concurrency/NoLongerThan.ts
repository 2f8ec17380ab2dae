import { type Duration, Effect } from "effect"

/**
 * Waits for work while a scope closes, and continues without it after a while. Finalizers are uninterruptible unless
 * they allow it: a time limit alone would wait for the work that it limits.
 */
export const noLongerThan =
  (limit: Duration.DurationInput) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    work.pipe(Effect.interruptible, Effect.timeoutOption(limit), Effect.asVoid)
