import { Effect, Layer, Schedule } from "effect"

/** Does a piece of tidying up at the start and then once an hour. Every node may do it. */
export const hourly = <E, R>(name: string, tidyUp: Effect.Effect<unknown, E, R>) =>
  Layer.scopedDiscard(
    tidyUp.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning(`${name} failed`, cause)),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped
    )
  )
