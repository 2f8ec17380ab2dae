import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Several channels may stand for one mailbox, and its provider tells only once.
    drop index channel_folder_subscription;
    create index channel_folder_subscription on channel_folder (subscription_id);
  `)
})
