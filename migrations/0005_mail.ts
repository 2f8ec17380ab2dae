import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- The state of a job. The number of claims identifies the current one; a key is in the queue only once.
    alter table job
      add total integer not null default 0,
      add done integer not null default 0,
      add imported integer not null default 0,
      add skipped integer not null default 0,
      add failed integer not null default 0,
      add claims integer not null default 0,
      add key text;
    create unique index job_key on job (customer_id, kind, key) where status = 'Queued';
    drop index job_due;
    create index job_waiting on job (customer_id, due_at) where status in ('Queued', 'Running');

    -- Periodic work: the node that advances next_at does it.
    create table periodic_work (
      name text primary key,
      next_at timestamptz not null default now()
    );

    create unique index channel_default_translation on channel (customer_id)
      where is_default_translation_channel and deleted_at is null;

    create table channel_folder (
      channel_folder_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_id integer not null,
      name text not null,
      parent_folder_id integer,
      folder_type text not null default 'Custom',
      external_folder_id text,
      auto_retrieve_emails boolean not null default false,
      subscription_id text,
      subscription_expires_at timestamptz,
      -- Encrypted. Written before a subscription is requested, so that nothing is lost with the response.
      client_state text,
      -- Where the next catch-up continues. Mail older than delta_since is not imported; null: all mail is.
      delta_link text,
      delta_since timestamptz,
      last_notification_at timestamptz,
      last_sync_at timestamptz,
      last_error text,
      created_at timestamptz not null default now(),
      unique (customer_id, channel_folder_id),
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade,
      foreign key (customer_id, parent_folder_id) references channel_folder (customer_id, channel_folder_id)
        on delete set null (parent_folder_id)
    );
    create unique index channel_folder_external on channel_folder (customer_id, channel_id, external_folder_id);
    create index channel_folder_parent on channel_folder (customer_id, parent_folder_id);
    create unique index channel_folder_subscription on channel_folder (subscription_id);
    create index channel_folder_external_alone on channel_folder (external_folder_id);

    create table channel_translation (
      channel_translation_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_id integer not null,
      lang text not null,
      chat_title text,
      default_greeting text,
      send_button_text text,
      escalate_prompt text,
      yes_text text,
      no_text text,
      availability_check text,
      valid_email text,
      you_text text,
      submit_button_text text,
      succesful_submission text,
      agent_join text,
      unique (customer_id, channel_translation_id),
      unique (customer_id, channel_id, lang),
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade
    );

    -- Every known mail of a channel: incoming, so that each is imported once, and outgoing, so that each is sent once.
    -- Answers find their ticket here.
    create table mail_message (
      mail_message_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_id integer not null,
      -- The provider's immutable id, which stays the same when the mail is moved.
      external_id text not null,
      internet_message_id text,
      content_hash text not null,
      conversation_id text,
      participants text[] not null default '{}',
      -- Null for mail that belongs to no ticket or whose ticket was deleted.
      ticket_message_id integer,
      is_outgoing boolean not null default false,
      -- When sending began: from then on, only the provider knows whether an outgoing mail was sent.
      sending_at timestamptz,
      created_at timestamptz not null default now(),
      unique (customer_id, mail_message_id),
      unique (customer_id, channel_id, external_id),
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade,
      foreign key (customer_id, ticket_message_id) references ticket_message (customer_id, ticket_message_id)
        on delete set null (ticket_message_id)
    );
    create unique index mail_message_content on mail_message (customer_id, channel_id, internet_message_id, content_hash);
    create index mail_message_conversation on mail_message (customer_id, channel_id, conversation_id);
    create index mail_message_ticket_message on mail_message (customer_id, ticket_message_id);

    -- Mail that could not be imported yet. Its source is stored once it is set aside.
    create table failed_mail (
      failed_mail_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_folder_id integer not null,
      external_id text not null,
      attempts integer not null,
      error text not null,
      set_aside_at timestamptz,
      blob_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (customer_id, failed_mail_id),
      unique (customer_id, channel_folder_id, external_id),
      foreign key (customer_id, channel_folder_id) references channel_folder (customer_id, channel_folder_id)
        on delete cascade,
      foreign key (customer_id, blob_id) references blob (customer_id, blob_id)
    );
    create index failed_mail_blob on failed_mail (customer_id, blob_id);
  `)
})
