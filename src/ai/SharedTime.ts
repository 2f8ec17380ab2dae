import { Clock, Duration, Effect } from "effect"

/** Starts a time limit for several attempts together: each of them gets what is left of it. */
export const startTime = <Late>(total: Duration.Duration, onTimeout: () => Late) =>
  Effect.map(
    Clock.currentTimeNanos,
    (started) =>
      <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
        Effect.flatMap(Clock.currentTimeNanos, (now) =>
          Effect.timeoutFail(attempt, {
            duration: Duration.subtract(total, Duration.nanos(now - started)),
            onTimeout
          })
        )
  )
