import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** A mail that is kept twice, because its node died between keeping it and saying so, is one mail. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    alter table outbox_mail add column message_id text,
      add constraint outbox_mail_once unique (customer_id, message_id)`
).pipe(Effect.asVoid)
