import { type SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"

const isOfDatabase = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/** All of it, or nothing. No caller can do anything about a database that fails: to them it is a defect. */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
    sql.withTransaction(work).pipe(Effect.catchIf(isOfDatabase, Effect.die))
