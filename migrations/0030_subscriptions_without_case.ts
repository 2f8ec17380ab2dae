import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Subscription ids are GUIDs: a notification may write them in another case.
    drop index channel_folder_subscription;
    create index channel_folder_subscription on channel_folder (lower(subscription_id));
  `)
})
