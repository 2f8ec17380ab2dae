import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- An answer written in a mail program may be read before the question it answers, for example from another folder.
    -- It waits for mail with one of these Message-IDs or of its conversation (null: for none). Once such a mail is in a
    -- ticket, the answer is due and is imported.
    alter table mail_message
      add waits_for text[],
      add written_at timestamptz,
      add is_due boolean not null default false,
      add called_at timestamptz;
    create index mail_message_waiting on mail_message using gin (waits_for) with (fastupdate = off)
      where waits_for is not null;
    create index mail_message_due on mail_message (called_at) where is_due;
  `)
})
