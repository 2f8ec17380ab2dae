import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * A look at the database for a caller who wants to know soon, even if only that there is no answer. It does not wait
 * until the statement is cancelled: the library tries that for five seconds on a database that has fallen silent.
 */
export const atAGlance = <A, E, R>(look: Effect.Effect<A, E, R>) =>
  look.pipe(Effect.disconnect, Effect.timeout("2 seconds"))

/** Whether the database takes changes: a standby only reads, and so does a leader that was replaced. */
export const takesChanges = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select 1 where not current_setting('transaction_read_only')::boolean`, ({ length }) => length > 0)
)
