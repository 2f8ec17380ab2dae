import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Whose data were given out or erased: the number alone, which stays when the end user is gone. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table audit_log add column about_end_user integer`
).pipe(Effect.asVoid)
