import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The end user whose data were exported or erased: only the id, without a reference, so that it outlives the row. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table audit_log add column about_end_user integer`
).pipe(Effect.asVoid)
