import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Finished work is removed by its age: without an index, every job was read for that. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("create index job_finished on job (updated_at) where status in ('Succeeded', 'Failed')")
})
