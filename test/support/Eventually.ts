import { Data, Duration, Effect, Schedule } from "effect"

class NotYet extends Data.TaggedError("NotYet")<{ readonly last: unknown }> {
  override get message() {
    return `Still not so: ${JSON.stringify(this.last)}`
  }
}

/** Repeats `ask` until its answer is as wanted; fails with the last answer when the time is up. */
export const eventually = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  wanted: (answer: A) => boolean,
  within: Duration.DurationInput = "3 minutes"
) =>
  ask.pipe(
    Effect.filterOrFail(wanted, (last) => new NotYet({ last })),
    Effect.retry({
      while: (error) => error instanceof NotYet,
      schedule: Schedule.intersect(
        Schedule.spaced("50 millis"),
        Schedule.whileOutput(Schedule.elapsed, Duration.lessThan(within))
      )
    })
  )
