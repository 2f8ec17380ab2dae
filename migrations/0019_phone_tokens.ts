import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Indexes for the check of every node for deleted channels, whose tokens end, and for a customer's outbox mails. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create index channel_deleted on channel (deleted_at) where deleted_at is not null;
    create index outbox_mail_own on outbox_mail (customer_id, outbox_mail_id);
  `)
})
