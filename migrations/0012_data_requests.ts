import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- That somebody's data were given out or erased, and what is needed to do it. The receipt outlives the end user: it
    -- has numbers and times, and nothing of the person.
    create table data_request (
      data_request_id uuid primary key default gen_random_uuid(),
      customer_id integer not null references customer on delete cascade,
      -- No references: the receipt outlives both.
      about_end_user integer not null,
      kind text not null check (kind in ('Export', 'Erasure')),
      -- None when the operator asked.
      customer_rep_id integer,
      work uuid not null,
      requested_at timestamptz not null default now(),
      -- What was erased, so that a second look finds what was still being written meanwhile.
      erased_at timestamptz,
      ticket_ids integer[] not null default '{}',
      message_ids integer[] not null default '{}',
      blob_ids uuid[] not null default '{}',
      finished_at timestamptz,
      counts jsonb not null default '{}',
      hash text,
      -- The file of an export, and the key to it.
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
