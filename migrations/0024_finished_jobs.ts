import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Finished jobs are removed by age; without an index, this read every job. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("create index job_finished on job (updated_at) where status in ('Succeeded', 'Failed')")
})
