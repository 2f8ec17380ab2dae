import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Whose password it was that somebody changed. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table audit_log add column about_customer_rep integer`
)
