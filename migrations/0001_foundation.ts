import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create table customer (
      customer_id integer generated always as identity primary key,
      name text not null,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now(),
      api_base_url text,
      api_username text,
      api_password text,
      api_token text,
      api_authentication_type text,
      email_provider_type text,
      mail_provider_tenant_id text,
      mail_provider_client_id text,
      mail_provider_client_secret text,
      mail_provider_authority_url text,
      mail_provider_scope text,
      default_topic_model_id integer,
      default_webchat_model_id integer,
      default_email_text_model_id integer,
      default_email_vision_model_id integer,
      default_call_model_id integer,
      default_spam_model_id integer,
      default_customer_rep_id integer,
      telephony_account_sid text,
      telephony_auth_token text,
      ai_provider_api_key text
    );
    create unique index customer_name on customer (lower(name));
    create unique index customer_telephony_account on customer (telephony_account_sid);

    create table login_hostname (
      customer_id integer not null references customer on delete cascade,
      hostname text not null check (hostname = lower(hostname)),
      primary key (customer_id, hostname)
    );

    create table customer_feature (
      customer_id integer not null references customer on delete cascade,
      feature text not null,
      primary key (customer_id, feature)
    );

    create table customer_rep (
      customer_rep_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      username text not null,
      password_hash text not null,
      role text not null check (role in ('Admin', 'Agent')),
      name text,
      email text,
      phone_number text,
      other_details text,
      email_signature_html text,
      email_signature_text text,
      time_zone text,
      security_version integer not null default 1,
      security_changed_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      deleted_at timestamptz,
      unique (customer_id, customer_rep_id)
    );
    -- Usernames are unique across the whole service; that of a deleted representative can be reused.
    create unique index customer_rep_username on customer_rep (lower(username)) where deleted_at is null;
    create index customer_rep_email on customer_rep (lower(email)) where deleted_at is null;
    create index customer_rep_security on customer_rep (security_changed_at);

    alter table customer add foreign key (customer_id, default_customer_rep_id)
      references customer_rep (customer_id, customer_rep_id) on delete set null (default_customer_rep_id);

    create table model (
      model_id integer generated always as identity primary key,
      customer_id integer references customer on delete cascade,
      name text not null,
      model_type text not null check (model_type in ('Text', 'Vision')),
      slots text[] not null,
      takes_images boolean not null,
      is_default boolean not null default false,
      is_active boolean not null default true
    );
    create unique index model_name on model (coalesce(customer_id, 0), lower(name));
    -- A model may be shared, so its key cannot include the customer: the service checks the owner.
    alter table customer
      add foreign key (default_topic_model_id) references model on delete set null,
      add foreign key (default_webchat_model_id) references model on delete set null,
      add foreign key (default_email_text_model_id) references model on delete set null,
      add foreign key (default_email_vision_model_id) references model on delete set null,
      add foreign key (default_call_model_id) references model on delete set null,
      add foreign key (default_spam_model_id) references model on delete set null;

    create table channel (
      channel_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      channel_type text not null check (channel_type in ('Email', 'Chat', 'Phone', 'WhatsApp')),
      name text not null,
      connection_details text,
      is_active boolean not null default true,
      email_address text,
      hostnames text,
      phone_number text,
      token uuid not null unique default gen_random_uuid(),
      is_default_translation_channel boolean not null default false,
      auto_retrieve_emails boolean not null default false,
      override_mail_provider_tenant_id text,
      override_mail_provider_client_id text,
      override_mail_provider_client_secret text,
      override_mail_provider_authority_url text,
      override_mail_provider_scope text,
      created_at timestamptz not null default now(),
      deleted_at timestamptz,
      unique (customer_id, channel_id)
    );
    create index channel_phone on channel (customer_id, phone_number) where deleted_at is null;

    create table action (
      action_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      name text not null,
      description text,
      priority integer not null,
      is_active boolean not null,
      operation text not null,
      parameters jsonb not null,
      operation_from_name boolean not null,
      unique (customer_id, action_id)
    );
    create unique index action_name on action (customer_id, lower(name));

    create table password_reset (
      token_hash text primary key,
      customer_id integer not null,
      customer_rep_id integer not null,
      expires_at timestamptz not null,
      foreign key (customer_id, customer_rep_id)
        references customer_rep (customer_id, customer_rep_id) on delete cascade
    );
    create index password_reset_rep on password_reset (customer_id, customer_rep_id);

    -- One row for each username, address, phone number or e-mail that failed recently, across all customers.
    create table attempt (
      key text primary key,
      failures timestamptz[] not null,
      last_failure timestamptz not null
    );
    create index attempt_last_failure on attempt (last_failure);

    create table audit_log (
      audit_log_id bigint generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      customer_rep_id integer,
      event text not null,
      request_id text,
      at timestamptz not null default now(),
      foreign key (customer_id, customer_rep_id)
        references customer_rep (customer_id, customer_rep_id) on delete set null (customer_rep_id)
    );
    create index audit_log_customer on audit_log (customer_id, at);

    create table idempotency (
      customer_id integer not null references customer on delete cascade,
      method text not null,
      path text not null,
      key text not null,
      request_hash text not null,
      status integer not null,
      headers jsonb not null,
      body text not null,
      created_at timestamptz not null default now(),
      primary key (customer_id, method, path, key)
    );
    create index idempotency_created on idempotency (created_at);

    -- Work to do after a request: written in the transaction that causes it, done by the node that claims it.
    create table job (
      job_id uuid primary key default gen_random_uuid(),
      customer_id integer not null references customer on delete cascade,
      kind text not null,
      payload jsonb not null,
      status text not null default 'Queued' check (status in ('Queued', 'Running', 'Succeeded', 'Failed')),
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      error text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index job_due on job (due_at) where status in ('Queued', 'Running');
    create index job_customer on job (customer_id, created_at);

    -- System mail that could not be sent: subject and text are encrypted, as they may contain a reset link.
    create table outbox_mail (
      outbox_mail_id integer generated always as identity primary key,
      customer_id integer not null references customer on delete cascade,
      recipient text not null,
      content text not null,
      created_at timestamptz not null default now()
    );
    create index outbox_mail_customer on outbox_mail (customer_id, created_at);
  `)
})
