import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Ids are assigned before a transaction ends, so a higher id can become visible first. A node that missed events
    -- reads on from the oldest transaction that was still open when none was missing.
    alter table event add column transaction_id xid8 not null default pg_current_xact_id();
    create index event_transaction on event (transaction_id);

    -- Which representatives are connected to which node. A node that does not renew its rows is considered dead.
    create table hub_presence (
      node_id uuid not null,
      customer_id integer not null references customer on delete cascade,
      customer_rep_id integer not null,
      seen_at timestamptz not null default now(),
      primary key (customer_id, customer_rep_id, node_id),
      foreign key (customer_id, customer_rep_id) references customer_rep (customer_id, customer_rep_id)
        on delete cascade
    );
    create index hub_presence_node on hub_presence (node_id);
  `)
})
