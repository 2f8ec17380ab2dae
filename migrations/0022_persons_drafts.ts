import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Whether a person wrote or changed the prepared answer: then automation must not send it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table ticket_message add column is_persons_draft boolean not null default false`)
})
