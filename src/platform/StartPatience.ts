import { Cause, Context, Duration, Effect, Schedule } from "effect"

/** How long a start waits for what is away. */
export class StartPatience extends Context.Reference<StartPatience>()("casework/StartPatience", {
  defaultValue: () => Duration.minutes(1)
}) {}

/**
 * A host that comes up starts the service and what it needs side by side, and a failover takes its time: what is not there
 * may come. What refuses, as for a wrong password, will do so again.
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
