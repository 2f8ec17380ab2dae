import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Makes a query for callers that need a result soon, even if only that the database does not respond. Does not wait
 * until the statement is cancelled: the library tries that for five seconds on a database that has gone silent.
 */
export const makeGlance = <A, E>(look: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.map(SqlClient.SqlClient, (sql) =>
    look.pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.disconnect, Effect.timeout("2 seconds"))
  )

/** Whether the database accepts writes: a standby is read-only, and so is a leader that was replaced. */
export const takesChanges = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select 1 where not current_setting('transaction_read_only')::boolean`, ({ length }) => length > 0)
)
