import { Cause, Context, Duration, Effect, Schedule } from "effect"

/** How long a start waits for something that is away. */
export class StartPatience extends Context.Reference<StartPatience>()("casework/StartPatience", {
  defaultValue: () => Duration.minutes(1)
}) {}

/**
 * Retries while something is away: a host that boots starts the service and its dependencies side by side, and a
 * failover takes its time. A refusal, such as for a wrong password, would only recur.
 */
export const patiently =
  <E>(what: string, isAway: (error: E) => boolean) =>
  <A>(reach: Effect.Effect<A, E>) =>
    Effect.flatMap(StartPatience, (patience) =>
      reach.pipe(
        Effect.tapError((error) =>
          Effect.when(Effect.logWarning(`waiting for ${what}`, Cause.fail(error)), () => isAway(error))
        ),
        Effect.retry({
          while: isAway,
          schedule: Schedule.exponential("250 millis").pipe(
            Schedule.union(Schedule.spaced("5 seconds")),
            Schedule.upTo(patience)
          )
        })
      )
    )
