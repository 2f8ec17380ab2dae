import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- The finished steps of a message's pipeline; the first missing one is next.
    create table pipeline_step (
      customer_id integer not null,
      ticket_message_id integer not null,
      step text not null,
      outcome text not null,
      at timestamptz not null default clock_timestamp(),
      primary key (customer_id, ticket_message_id, step),
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade
    );

    -- The actions that one hook, or the topics of a message, started together. Runs caused by one of its actions
    -- belong to the same chain: they share the first run.
    create table automation_run (
      automation_run_id bigint generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_id integer not null,
      ticket_message_id integer,
      hook_name text,
      -- The reason of the run, so that the same reason never starts it twice.
      reason text not null,
      first_run_id bigint,
      depth integer not null,
      created_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      unique (customer_id, automation_run_id),
      unique (customer_id, reason),
      foreign key (customer_id, ticket_id) references ticket (customer_id, ticket_id) on delete cascade,
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, first_run_id)
        references automation_run (customer_id, automation_run_id) on delete cascade
    );
    create index automation_run_ticket on automation_run (customer_id, ticket_id);
    create index automation_run_message on automation_run (customer_id, ticket_message_id);
    create index automation_run_chain on automation_run (customer_id, first_run_id);

    create table message_action (
      message_action_id bigint generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      automation_run_id bigint not null,
      ticket_message_id integer,
      position integer not null,
      action_id integer,
      name text not null,
      operation text not null,
      parameters jsonb not null,
      hook_name text,
      topic_id integer,
      status text not null check (status in ('Waiting', 'Running', 'Done', 'Failed', 'Skipped')),
      error text,
      due_at timestamptz,
      run_at timestamptz,
      unique (customer_id, message_action_id),
      unique (customer_id, automation_run_id, position),
      foreign key (customer_id, automation_run_id)
        references automation_run (customer_id, automation_run_id) on delete cascade,
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, action_id) references action (customer_id, action_id)
        on delete set null (action_id),
      foreign key (customer_id, topic_id) references topic (customer_id, topic_id) on delete set null (topic_id)
    );
    create index message_action_message on message_action (customer_id, ticket_message_id, message_action_id);
    create index message_action_action on message_action (customer_id, action_id);
    create index message_action_topic on message_action (customer_id, topic_id);

    -- The run that caused the event; null if a person or an end user did.
    alter table event add column automation_run_id bigint;
    alter table event add foreign key (customer_id, automation_run_id)
      references automation_run (customer_id, automation_run_id) on delete set null (automation_run_id);
    create index event_run on event (customer_id, automation_run_id);
    -- In the order of the events, even within one transaction.
    alter table event alter column at set default clock_timestamp();
  `)
})
