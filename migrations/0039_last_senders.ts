import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Who wrote the last message. Null until the next one: it is looked up then, so that no ticket has to be rewritten.
    alter table ticket add column last_sender_type text check (last_sender_type in ('EndUser', 'CustomerRep'));
  `)
})
