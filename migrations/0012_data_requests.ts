import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Exports and erasures of a person's data, and what is needed to carry them out. The receipt outlives the end user:
    -- it contains numbers and times, but no personal data.
    create table data_request (
      data_request_id uuid primary key default gen_random_uuid(),
      customer_id integer not null references customer on delete cascade,
      -- Without references, because the receipt outlives both.
      about_end_user integer not null,
      kind text not null check (kind in ('Export', 'Erasure')),
      -- Null if the operator made the request.
      customer_rep_id integer,
      work uuid not null,
      requested_at timestamptz not null default now(),
      -- What was erased, so that the second pass finds what was written in the meantime.
      erased_at timestamptz,
      ticket_ids integer[] not null default '{}',
      message_ids integer[] not null default '{}',
      blob_ids uuid[] not null default '{}',
      finished_at timestamptz,
      counts jsonb not null default '{}',
      hash text,
      -- The file of an export, and the token that opens it.
      blob_id uuid,
      access_token uuid not null unique default gen_random_uuid(),
      expires_at timestamptz,
      unique (customer_id, data_request_id),
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete set null (customer_rep_id),
      foreign key (customer_id, blob_id) references blob (customer_id, blob_id)
    );
    create unique index data_request_erasure on data_request (customer_id, about_end_user) where kind = 'Erasure';
    create index data_request_end_user on data_request (customer_id, about_end_user, kind, requested_at);
    create index data_request_blob on data_request (customer_id, blob_id);
  `)
})
