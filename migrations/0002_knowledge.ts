import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create table topic (
      topic_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      name text not null,
      description text,
      unique (customer_id, topic_id)
    );
    create unique index topic_name on topic (customer_id, lower(name));

    create table document (
      document_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      name text not null,
      description text,
      content text,
      is_data_retrieval_process boolean not null,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      version integer not null default 1,
      override_api_base_url text,
      override_api_username text,
      override_api_password text,
      override_api_token text,
      override_api_authentication_type text,
      api_endpoint text,
      api_method text,
      api_headers text,
      api_body_template text,
      unique (customer_id, document_id)
    );

    -- A row belongs to a topic or to a hook, which is a named event (a special topic).
    create table topic_action (
      topic_action_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      topic_id integer,
      hook_name text,
      action_id integer not null,
      channel_id integer,
      special_channel text check (special_channel in ('Email', 'Chat', 'Phone', 'WhatsApp', 'All')),
      priority integer not null,
      is_active boolean not null default true,
      unique (customer_id, topic_action_id),
      check ((topic_id is null) <> (hook_name is null)),
      check (hook_name is not null or (channel_id is null and special_channel is null)),
      foreign key (customer_id, topic_id) references topic (customer_id, topic_id) on delete cascade,
      foreign key (customer_id, action_id) references action (customer_id, action_id) on delete cascade,
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade
    );
    create unique index topic_action_once on topic_action
      (customer_id, topic_id, lower(hook_name), action_id, channel_id, special_channel) nulls not distinct;
    create index topic_action_action on topic_action (customer_id, action_id);
    create index topic_action_channel on topic_action (customer_id, channel_id);

    create table topic_document (
      topic_document_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      topic_id integer,
      hook_name text,
      document_id integer not null,
      channel_id integer,
      special_channel text check (special_channel in ('Email', 'Chat', 'Phone', 'WhatsApp', 'All')),
      relevance_score integer,
      unique (customer_id, topic_document_id),
      check ((topic_id is null) <> (hook_name is null)),
      check (hook_name is not null or (channel_id is null and special_channel is null)),
      foreign key (customer_id, topic_id) references topic (customer_id, topic_id) on delete cascade,
      foreign key (customer_id, document_id) references document (customer_id, document_id) on delete cascade,
      foreign key (customer_id, channel_id) references channel (customer_id, channel_id) on delete cascade
    );
    create unique index topic_document_once on topic_document
      (customer_id, topic_id, lower(hook_name), document_id, channel_id, special_channel) nulls not distinct;
    create index topic_document_document on topic_document (customer_id, document_id);
    create index topic_document_channel on topic_document (customer_id, channel_id);

    create table page_topic_mapping (
      page_topic_mapping_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      topic_id integer not null,
      page_url text not null,
      context text,
      unique (customer_id, page_topic_mapping_id),
      foreign key (customer_id, topic_id) references topic (customer_id, topic_id) on delete cascade
    );
    -- The longest addresses do not fit into an index entry.
    create unique index page_topic_mapping_once on page_topic_mapping (customer_id, topic_id, md5(page_url));

    create table customer_rep_signature (
      customer_id integer not null,
      customer_rep_id integer not null,
      lang text not null,
      email_signature_html text,
      email_signature_text text,
      primary key (customer_id, customer_rep_id, lang),
      foreign key (customer_id, customer_rep_id)
        references customer_rep (customer_id, customer_rep_id) on delete cascade
    );
  `)
})
