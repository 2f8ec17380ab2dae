import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When a password reset was requested, which may be long before its mail could be sent. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`/* all customers: their tables change */ alter table password_reset add column asked_at timestamptz`
})
