import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Every node looks for channels that were deleted, since the tokens of their calls end with them; and for a person's mail. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create index channel_deleted on channel (deleted_at) where deleted_at is not null;
    create index outbox_mail_own on outbox_mail (customer_id, outbox_mail_id);
  `)
})
