import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Schedule } from "effect"

/** How often a node looks whether periodic work is due. */
export class LookEvery extends Context.Reference<LookEvery>()("casework/LookEvery", {
  defaultValue: () => Duration.seconds(5)
}) {}

/** Does something at the start and then every so often, on every node: what is a node's own, or costs next to nothing. */
export const onEveryNode = <E, R>(name: string, every: Duration.DurationInput, work: Effect.Effect<unknown, E, R>) =>
  work.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning(`${name} failed`, cause)),
    // Nodes that start at once do not meet each time.
    Effect.repeat(Schedule.jittered(Schedule.spaced(every))),
    Effect.forkScoped,
    Effect.asVoid
  )

/** Notes that a turn of this node has begun, when one is due. */
const takeTurn = (name: string, minutes: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into periodic_work (name) values (${name}) on conflict do nothing`
    const mine = yield* sql`
      update periodic_work set next_at = now() + make_interval(mins => ${minutes}::int)
      where name = ${name} and next_at <= now() returning name`
    return mine.length > 0
  })

/**
 * Does something every so many minutes, on one node however many there are: what goes through everybody's rows. It may
 * take long; when it fails, or its node dies, the next turn does it.
 */
export const onOneNode = <E, R>(name: string, minutes: number, work: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(LookEvery, (lookEvery) =>
    onEveryNode(name, lookEvery, Effect.whenEffect(work, takeTurn(name, minutes)))
  )

/**
 * Enqueues jobs every so many minutes, on one node however many there are. They share the transaction with the note that
 * it was done: no turn is missed, and none is taken twice.
 */
export const enqueueOnOneNode = <R>(name: string, minutes: number, enqueue: Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const turn = Effect.whenEffect(enqueue, takeTurn(name, minutes)).pipe(sql.withTransaction)
    yield* onEveryNode(name, yield* LookEvery, turn)
  })
