import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Of one customer's jobs, those with a lower rank run first.
    alter table job add rank smallint not null default 0 check (rank between 0 and 2);
    drop index job_waiting;
    create index job_waiting on job (customer_id, rank, due_at) where status in ('Queued', 'Running');
  `)
})
