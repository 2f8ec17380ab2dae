import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Which messages a question to a model quotes besides the one that it is about, so that whoever is erased is erased
 * there, too. Of the questions from before, all that they may have quoted.
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
      select distinct c.ticket_message_id from topic_correction c
      where c.customer_id = r.customer_id and c.created_at < r.created_at)
    where r.purpose = 'Topics';
    create index ai_run_quotes on ai_run using gin (quotes);
  `)
})
