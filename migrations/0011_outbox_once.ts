import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Stores a mail only once, even if its node died after storing it and before recording that it had. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    alter table outbox_mail add column message_id text,
      add constraint outbox_mail_once unique (customer_id, message_id)`
).pipe(Effect.asVoid)
