import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;

    create table end_user (
      end_user_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      first_name text not null,
      last_name text not null,
      display_name text,
      email text,
      phone text,
      customer_ref text,
      notes text,
      -- The text that is searched: names, addresses and UIDs, one per line.
      search_text text not null,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      unique (customer_id, end_user_id)
    );
    create index end_user_search on end_user using gin (customer_id, search_text gin_trgm_ops);
    create index end_user_email on end_user (customer_id, lower(email));

    create table end_user_uid (
      end_user_uid_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      end_user_id integer not null,
      uid text not null,
      uid_type text not null,
      is_primary boolean not null,
      unique (customer_id, end_user_uid_id),
      foreign key (customer_id, end_user_id) references end_user (customer_id, end_user_id) on delete cascade
    );
    create unique index end_user_uid_once on end_user_uid (customer_id, end_user_id, lower(uid));
    create unique index end_user_uid_primary on end_user_uid (customer_id, end_user_id, lower(uid_type)) where is_primary;
    create index end_user_uid_uid on end_user_uid (customer_id, lower(uid));

    create table ticket (
      ticket_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_id integer not null,
      end_user_id integer,
      customer_rep_id integer,
      status text not null check (status in ('Open', 'Pending', 'Escalated', 'Closed')),
      is_spam boolean not null default false,
      subject text,
      language text,
      ticket_token uuid not null unique default gen_random_uuid(),
      custom_fields jsonb not null default '{}',
      liked boolean,
      -- Written by AI; valid as long as this is the last message.
      history_summary text,
      history_summary_message_id integer,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      last_message_at timestamptz,
      check (not (is_spam and status = 'Escalated')),
      unique (customer_id, ticket_id),
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id),
      foreign key (customer_id, end_user_id) references end_user (customer_id, end_user_id)
        on delete set null (end_user_id),
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id)
    );
    create index ticket_newest on ticket (customer_id, created_at, ticket_id);
    create index ticket_active on ticket (customer_id, last_message_at, ticket_id);
    create index ticket_status on ticket (customer_id, status, created_at, ticket_id);
    create index ticket_unfinished on ticket (customer_id, created_at, ticket_id) where status <> 'Closed';
    create index ticket_spam on ticket (customer_id, created_at, ticket_id) where is_spam;
    create index ticket_channel on ticket (customer_id, channel_id, created_at, ticket_id);
    create index ticket_end_user on ticket (customer_id, end_user_id, created_at, ticket_id);
    create index ticket_rep on ticket (customer_id, customer_rep_id, created_at, ticket_id);
    create index ticket_subject on ticket using gin (customer_id, subject gin_trgm_ops);

    -- The number of tickets of each kind, as changes to add up: counting the tickets for every page would take longer
    -- with every ticket. Written by the triggers below and merged from time to time.
    create table ticket_tally (
      customer_id integer not null,
      channel_id integer not null,
      status text not null,
      is_spam boolean not null,
      tickets integer not null,
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade
    );
    create index ticket_tally_customer on ticket_tally (customer_id);

    create function tally_new_tickets() returns trigger language plpgsql as $$
    begin
      insert into ticket_tally
        select customer_id, channel_id, status, is_spam, count(*) from new_row group by 1, 2, 3, 4;
      return null;
    end $$;
    create function tally_old_tickets() returns trigger language plpgsql as $$
    begin
      insert into ticket_tally
        select customer_id, channel_id, status, is_spam, -count(*) from old_row
        where exists (select 1 from channel c where c.customer_id = old_row.customer_id and c.channel_id = old_row.channel_id)
        group by 1, 2, 3, 4;
      return null;
    end $$;
    create function tally_changed_ticket() returns trigger language plpgsql as $$
    begin
      insert into ticket_tally values
        (old.customer_id, old.channel_id, old.status, old.is_spam, -1),
        (new.customer_id, new.channel_id, new.status, new.is_spam, 1);
      return null;
    end $$;
    create trigger ticket_tally_insert after insert on ticket
      referencing new table as new_row for each statement execute function tally_new_tickets();
    create trigger ticket_tally_update after update on ticket for each row
      when ((old.channel_id, old.status, old.is_spam) is distinct from (new.channel_id, new.status, new.is_spam))
      execute function tally_changed_ticket();
    create trigger ticket_tally_delete after delete on ticket
      referencing old table as old_row for each statement execute function tally_old_tickets();

    create table ticket_message (
      ticket_message_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_id integer not null,
      channel_id integer not null,
      sender_type text not null check (sender_type in ('EndUser', 'CustomerRep')),
      customer_rep_id integer,
      status text not null check (status in (
        'Received', 'Processing', 'Drafted', 'Replied', 'Escalated', 'Spam', 'Failed', 'Queued', 'Sent')),
      message text,
      subject text,
      from_address text,
      from_name text,
      to_address text,
      uid text,
      html_body text,
      text_body text,
      preview text,
      page_url text,
      page_screenshot text,
      message_date timestamptz,
      is_opened boolean not null default false,
      is_automatic boolean not null default false,
      is_escalated boolean not null default false,
      ai_feedback_comment text,
      ai_reply text,
      -- The message that this one answers; an answer that was given up does not count.
      answers_message_id integer,
      delivery_error text,
      -- Delivery is no longer attempted.
      is_given_up boolean not null default false,
      liked boolean,
      custom_fields jsonb not null default '{}',
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      unique (customer_id, ticket_message_id),
      foreign key (customer_id, ticket_id) references ticket (customer_id, ticket_id) on delete cascade,
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id),
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id),
      foreign key (customer_id, answers_message_id) references ticket_message (customer_id, ticket_message_id)
        on delete set null (answers_message_id)
    );
    create index ticket_message_ticket on ticket_message (customer_id, ticket_id, created_at, ticket_message_id);
    create index ticket_message_rep on ticket_message (customer_id, customer_rep_id);
    create index ticket_message_text on ticket_message using gin (customer_id, message gin_trgm_ops);
    create index ticket_message_feedback on ticket_message (customer_id, ticket_id)
      where ai_feedback_comment is not null;
    -- A message is answered only once.
    create unique index ticket_message_answer on ticket_message (customer_id, answers_message_id);

    create table ticket_message_topic (
      ticket_message_topic_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_id integer not null,
      ticket_message_id integer not null,
      topic_id integer not null,
      unique (customer_id, ticket_message_topic_id),
      unique (customer_id, ticket_message_id, topic_id),
      foreign key (customer_id, ticket_id) references ticket (customer_id, ticket_id) on delete cascade,
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, topic_id) references topic (customer_id, topic_id) on delete cascade
    );
    create index ticket_message_topic_ticket on ticket_message_topic (customer_id, ticket_id);
    create index ticket_message_topic_topic on ticket_message_topic (customer_id, topic_id);

    -- A person's changes to the topics of a message; the last one overrides any later detection.
    create table topic_correction (
      topic_correction_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_message_id integer not null,
      customer_rep_id integer,
      topics_before text[] not null,
      topics_after text[] not null,
      created_at timestamptz not null default now(),
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id)
    );
    create index topic_correction_message on topic_correction (customer_id, ticket_message_id);
    create index topic_correction_newest on topic_correction (customer_id, created_at);

    -- The bytes are in the blob store. A blob that nothing refers to is removed by the sweep.
    create table blob (
      blob_id uuid primary key default gen_random_uuid(),
      customer_id integer not null references customer on delete cascade,
      size bigint,
      created_at timestamptz not null default now(),
      unique (customer_id, blob_id)
    );
    create index blob_created on blob (created_at);
    create table blob_chunk (
      customer_id integer not null,
      blob_id uuid not null,
      position integer not null,
      bytes bytea not null,
      primary key (customer_id, blob_id, position),
      foreign key (customer_id, blob_id) references blob (customer_id, blob_id) on delete cascade
    );

    create table ticket_message_attachment (
      ticket_message_attachment_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      ticket_message_id integer not null,
      file_name text not null,
      content_type text not null,
      access_token uuid not null unique default gen_random_uuid(),
      is_end_user_provided boolean not null,
      -- Identifies an inline picture in the HTML of its mail.
      content_id text,
      blob_id uuid not null,
      created_at timestamptz not null default now(),
      unique (customer_id, ticket_message_attachment_id),
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade,
      foreign key (customer_id, blob_id) references blob (customer_id, blob_id)
    );
    create index ticket_message_attachment_message on ticket_message_attachment (customer_id, ticket_message_id);
    create index ticket_message_attachment_blob on ticket_message_attachment (customer_id, blob_id);

    -- Events, written in the transaction in which they happened.
    create table event (
      event_id bigint generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      kind text not null,
      ticket_id integer,
      ticket_message_id integer,
      details jsonb not null default '{}',
      at timestamptz not null default now(),
      foreign key (customer_id, ticket_id) references ticket (customer_id, ticket_id) on delete cascade,
      foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete cascade
    );
    create index event_ticket on event (customer_id, ticket_id, event_id);
    create index event_message on event (customer_id, ticket_message_id, event_id);
  `)
})
