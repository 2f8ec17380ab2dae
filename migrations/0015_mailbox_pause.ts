import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Until when no node may send the provider requests about a mailbox.
    create unlogged table mailbox_pause (
      mailbox text primary key,
      ends_at timestamptz not null
    );
  `)
})
