import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Work that may wait for a model has only a part of the workers.
    alter table job add asks_models boolean not null default false;
    update job set asks_models = true where kind in ('RunPipeline', 'RunActions') and status in ('Queued', 'Running');
    -- While that part is taken, the rest is found without looking through all that waits for it.
    create index job_open on job (customer_id, rank, due_at) where status in ('Queued', 'Running') and not asks_models;
  `)
})
