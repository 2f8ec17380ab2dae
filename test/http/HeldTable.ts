import { SqlClient } from "@effect/sql"
import { Deferred, Effect } from "effect"

/**
 * Makes every writer of actions wait until it is released: on PostgreSQL through a lock on the table, on the embedded
 * database through the transaction itself, which holds the only connection.
 */
export const holdActions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void>()
  const letGo = yield* Deferred.make<void>()
  yield* Effect.gen(function* () {
    yield* sql`lock table action in access exclusive mode`
    yield* Deferred.succeed(held, undefined)
    yield* Deferred.await(letGo)
  }).pipe(sql.withTransaction, Effect.forkScoped)
  yield* Deferred.await(held)
  return { letGo: Deferred.succeed(letGo, undefined) }
})
