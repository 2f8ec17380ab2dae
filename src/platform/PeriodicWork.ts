import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Schedule } from "effect"

/** How often a node looks whether periodic work is due. */
export class LookEvery extends Context.Reference<LookEvery>()("casework/LookEvery", {
  defaultValue: () => Duration.seconds(5)
}) {}

/**
 * Does something every so many minutes, on one node at a time however many there are. It shares the transaction with
 * the note that it was done, so it should only enqueue what takes longer.
 */
export const everySoManyMinutes = <R>(name: string, minutes: number, work: Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lookEvery = yield* LookEvery
    const whenDue = Effect.gen(function* () {
      yield* sql`insert into periodic_work (name) values (${name}) on conflict do nothing`
      const mine = yield* sql`
        update periodic_work set next_at = now() + make_interval(mins => ${minutes}::int)
        where name = ${name} and next_at <= now() returning name`
      if (mine.length > 0) yield* work
    }).pipe(sql.withTransaction)
    yield* whenDue.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning(`${name} failed`, cause)),
      Effect.repeat(Schedule.jittered(Schedule.spaced(lookEvery))),
      Effect.forkScoped
    )
  })
