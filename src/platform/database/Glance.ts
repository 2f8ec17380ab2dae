import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * A look at the database for somebody who wants to know soon, also that there is no answer. Giving up is not waited for: of
 * a database that has fallen silent the library asks for five seconds more that it cancel the statement.
 */
export const atAGlance = <A, E, R>(look: Effect.Effect<A, E, R>) =>
  look.pipe(Effect.disconnect, Effect.timeout("2 seconds"))

/** A standby only reads, and so does what was the leader before it failed. */
export const takesChanges = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select 1 where not current_setting('transaction_read_only')::boolean`, ({ length }) => length > 0)
)
