import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Several channels may use the same mailbox, and the provider sends one notification for all of them.
    drop index channel_folder_subscription;
    create index channel_folder_subscription on channel_folder (subscription_id);
  `)
})
