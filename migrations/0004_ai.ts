import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- One row for each call of a model, including failed ones. It is deleted with its message, so that nothing of the
    -- message remains.
    create table ai_run (
      ai_run_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_message_id integer,
      purpose text not null,
      slot text not null,
      model_id integer references model on delete set null,
      model_name text,
      prompt_version text not null,
      system_prompt text not null,
      user_prompt text not null,
      -- The input of the prompt, from which another version of the prompt can be rendered.
      prompt_input jsonb,
      -- Stored as it was sent, in the same order.
      answer_schema json,
      image_count integer not null default 0,
      documents jsonb not null default '[]',
      input_tokens integer,
      output_tokens integer,
      duration_ms integer not null,
      outcome text not null check (outcome in ('Succeeded', 'Failed', 'Rejected')),
      error text,
      output text,
      sent_text text,
      changed_share double precision check (changed_share between 0 and 1),
      replay_of integer,
      created_at timestamptz not null default now(),
      unique (customer_id, ai_run_id),
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, replay_of) references ai_run (customer_id, ai_run_id) on delete set null (replay_of)
    );
    create index ai_run_newest on ai_run (customer_id, created_at, ai_run_id);
    create index ai_run_message on ai_run (customer_id, ticket_message_id, created_at, ai_run_id);
    create index ai_run_replay on ai_run (customer_id, replay_of);
    create index ai_run_model on ai_run (model_id);
  `)
})
