import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The representative whose password was changed. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table audit_log add column about_customer_rep integer`
)
