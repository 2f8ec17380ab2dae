import { Effect } from "effect"

/** Milliseconds on a monotonic clock: for how long ago something was, never for when. */
export const steadyClock = Effect.map(
  Effect.clock,
  (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
)
