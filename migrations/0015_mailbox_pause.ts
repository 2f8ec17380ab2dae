import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Until when the provider wants to be left alone about a mailbox, by every node.
    create unlogged table mailbox_pause (
      mailbox text primary key,
      ends_at timestamptz not null
    );
  `)
})
