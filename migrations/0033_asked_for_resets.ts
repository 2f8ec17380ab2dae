import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When a link for a new password was asked for, which may be long before its mail could leave. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`/* all customers: their tables change */ alter table password_reset add column asked_at timestamptz`
})
