import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Records which message a mail in the outbox is about, so that an erasure removes exactly the person's mail there, too.
 * Older answers name the message in their Message-ID, with the token of their ticket; other older mails can be matched
 * through the job that wrote them, if it still exists.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    alter table outbox_mail add column ticket_message_id integer,
      add foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade;
    update outbox_mail o set ticket_message_id = m.ticket_message_id
    from ticket_message m join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
    where m.customer_id = o.customer_id
      and m.ticket_message_id = substring(o.message_id from '^<casework-([0-9]{1,9})-')::int
      and t.ticket_token::text = substring(o.message_id from '^<casework-[0-9]+-([0-9a-f-]{36})@');
    update outbox_mail o set ticket_message_id = m.ticket_message_id
    from job j join ticket_message m on m.customer_id = j.customer_id
      and m.ticket_message_id = (j.payload ->> 'ticketMessageID')::int
    where j.customer_id = o.customer_id and j.kind in ('NotifyByMail', 'NotifyEscalation')
      and j.job_id = substring(o.message_id from '^<casework-(?:notification|escalation)-([0-9a-f-]{36})@')::uuid;
    create index outbox_mail_message on outbox_mail (customer_id, ticket_message_id) where ticket_message_id is not null;
  `)
})
