import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- The trace span in which a job was enqueued, if traces are collected.
    alter table job add trace_parent text;
  `)
})
