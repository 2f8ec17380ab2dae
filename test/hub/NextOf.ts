import { Effect, Option, Queue } from "effect"

/** Returns the next item of a connection; one that has ended gives what came before, and then dies with the reason. */
export const nextOf = <A>(arrived: Queue.Dequeue<A>, ended: Effect.Effect<string>) =>
  Effect.flatMap(Queue.poll(arrived), (waiting) =>
    Option.isSome(waiting)
      ? Effect.succeed(waiting.value)
      : Effect.raceFirst(
          Queue.take(arrived),
          Effect.flatMap(ended, (reason) => Effect.dieMessage(`The connection has ended: ${reason}`))
        )
  )
