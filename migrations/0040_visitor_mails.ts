import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Whether an answer in a chat is to be mailed to its visitor, and the job that does, so that no other one does.
    alter table ticket_message add column is_visitor_mail_due boolean not null default false,
      add column visitor_mail_job uuid;
    -- Jobs that wait now know the message alone.
    update job j set payload = j.payload || jsonb_build_object('ticketID', m.ticket_id)
    from ticket_message m
    where j.kind = 'MailVisitor' and j.status in ('Queued', 'Running') and m.customer_id = j.customer_id
      and m.ticket_message_id = (j.payload ->> 'ticketMessageID')::int;
    delete from job where kind = 'MailVisitor' and status in ('Queued', 'Running') and payload ->> 'ticketID' is null;
    update ticket_message m set is_visitor_mail_due = true from job j
    where j.kind = 'MailVisitor' and j.status in ('Queued', 'Running') and m.customer_id = j.customer_id
      and m.ticket_message_id = (j.payload ->> 'ticketMessageID')::int;
  `)
})
