import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Schedule } from "effect"

/** How often a node checks whether periodic work is due. */
export class LookEvery extends Context.Reference<LookEvery>()("casework/LookEvery", {
  defaultValue: () => Duration.seconds(5)
}) {}

/** Runs work at the start and then at intervals, on every node: for what is a node's own, or costs next to nothing. */
export const onEveryNode = <E, R>(name: string, every: Duration.DurationInput, work: Effect.Effect<unknown, E, R>) =>
  work.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning(`${name} failed`, cause)),
    // Jitter keeps nodes that start at once from colliding each time.
    Effect.repeat(Schedule.jittered(Schedule.spaced(every))),
    Effect.forkScoped,
    Effect.asVoid
  )

/** Takes a turn of periodic work for this node, if one is due; returns whether it did. */
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
 * Runs work every so many minutes, on one node however many there are: for what goes through all customers' rows. It
 * may take long; if it fails, or its node dies, the next turn does it.
 */
export const onOneNode = <E, R>(name: string, minutes: number, work: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(LookEvery, (lookEvery) =>
    onEveryNode(name, lookEvery, Effect.whenEffect(work, takeTurn(name, minutes)))
  )

/**
 * Enqueues jobs every so many minutes, on one node however many there are. Taking the turn is in the same transaction:
 * no turn is missed, and none is taken twice.
 */
export const enqueueOnOneNode = <R>(name: string, minutes: number, enqueue: Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const turn = Effect.whenEffect(enqueue, takeTurn(name, minutes)).pipe(sql.withTransaction)
    yield* onEveryNode(name, yield* LookEvery, turn)
  })
