import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Records which other messages an AI run quotes, so that an erasure reaches those too. Older runs are assumed to quote
 * the ticket's earlier messages, or the last 20 corrections (the most a prompt quotes). Deleting a message also clears
 * the texts made from it, since later nobody could tell whose words they contain.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    alter table ai_run add column quotes integer[] not null default '{}';
    update ai_run r set quotes = array(
      select e.ticket_message_id from ticket_message m
      join ticket_message e on e.customer_id = m.customer_id and e.ticket_id = m.ticket_id
        and e.ticket_message_id <> m.ticket_message_id and e.created_at < r.created_at
      where m.customer_id = r.customer_id and m.ticket_message_id = r.ticket_message_id)
    where r.purpose in ('Draft', 'Summary');
    update ai_run r set quotes = array(
      select c.ticket_message_id from topic_correction c
      join ticket_message m on m.customer_id = c.customer_id and m.ticket_message_id = c.ticket_message_id
        and m.message is not null
      where c.customer_id = r.customer_id and c.created_at < r.created_at
        and c.ticket_message_id is distinct from r.ticket_message_id
        and not exists (
          select from topic_correction later
          where later.customer_id = c.customer_id and later.ticket_message_id = c.ticket_message_id
            and later.topic_correction_id > c.topic_correction_id and later.created_at < r.created_at)
      order by c.created_at desc limit 20)
    where r.purpose = 'Topics';
    create index ai_run_quotes on ai_run using gin (quotes);

    create function forget_deleted_messages() returns trigger language plpgsql as $$
    begin
      update ai_run r set system_prompt = '', user_prompt = '', prompt_input = null, output = null, sent_text = null,
        error = null
      from (select customer_id, array_agg(ticket_message_id) as ids from gone group by customer_id) deleted
      where r.customer_id = deleted.customer_id and r.quotes && deleted.ids;
      update ticket t set history_summary = null, history_summary_message_id = null
      from gone
      where t.customer_id = gone.customer_id and t.ticket_id = gone.ticket_id
        and t.history_summary_message_id >= gone.ticket_message_id;
      return null;
    end $$;
    create trigger ticket_message_forget after delete on ticket_message
      referencing old table as gone for each statement execute function forget_deleted_messages();
  `)
})
