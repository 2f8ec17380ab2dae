import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- The span of a trace in which a job was enqueued, when traces are collected.
    alter table job add trace_parent text;
  `)
})
