import { Effect, Option, Queue } from "effect"

/** The next that a connection brings; one that has ended brings only what had come before, and then says why. */
export const nextOf = <A>(arrived: Queue.Dequeue<A>, ended: Effect.Effect<string>) =>
  Effect.flatMap(Queue.poll(arrived), (waiting) =>
    Option.isSome(waiting)
      ? Effect.succeed(waiting.value)
      : Effect.raceFirst(
          Queue.take(arrived),
          Effect.flatMap(ended, (reason) => Effect.dieMessage(`The connection has ended: ${reason}`))
        )
  )
