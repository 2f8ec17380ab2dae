import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Maps the phone provider's messages to our answers. A lookup at the provider finds a text only by its words and
 * numbers, and the same words may go to the same number twice: each message there belongs to exactly one answer.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create table sent_text (
      customer_id integer not null references customer on delete cascade,
      -- The provider's id of the message.
      sid text not null,
      ticket_message_id integer not null,
      created_at timestamptz not null default now(),
      primary key (customer_id, sid),
      foreign key (customer_id, ticket_message_id) references ticket_message (customer_id, ticket_message_id)
        on delete cascade
    );
    create index sent_text_ticket_message on sent_text (customer_id, ticket_message_id);
  `)
})
