import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Calls to other systems for a draft that must not be made twice. A row is written before its call is sent and removed
 * when the draft is finished; until then, another attempt at the draft finds the response here.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create table draft_call (
      customer_id integer not null references customer on delete cascade,
      ticket_message_id integer not null,
      -- The job that makes the draft. Without a reference: the row is deleted with the message.
      work uuid not null,
      document_id integer not null,
      -- The part of the response that goes into the prompt, or why there is none.
      content text,
      error text,
      begun_at timestamptz not null default clock_timestamp(),
      -- Null while the call is in progress or if its outcome is unknown.
      ended_at timestamptz,
      primary key (customer_id, ticket_message_id, work, document_id),
      foreign key (customer_id, ticket_message_id) references ticket_message (customer_id, ticket_message_id)
        on delete cascade,
      foreign key (customer_id, document_id) references document (customer_id, document_id) on delete cascade
    );
    create index draft_call_document on draft_call (customer_id, document_id);
  `)
})
