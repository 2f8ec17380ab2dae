import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Only some of the workers run jobs that may wait for a model.
    alter table job add asks_models boolean not null default false;
    update job set asks_models = true where kind in ('RunPipeline', 'RunActions') and status in ('Queued', 'Running');
    -- While these are busy, the other jobs are found without reading all that wait for them.
    create index job_open on job (customer_id, rank, due_at) where status in ('Queued', 'Running') and not asks_models;
  `)
})
