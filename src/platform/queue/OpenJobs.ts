import { type SqlClient, SqlSchema } from "@effect/sql"
import { Schema } from "effect"
import { CustomerID } from "../../../schema/Ids.ts"

const Search = Schema.Struct({
  kind: Schema.String,
  rank: Schema.Int,
  jobs: Schema.Array(Schema.Struct({ customerID: CustomerID, payload: Schema.String }))
})

/**
 * Finds the indexes of those jobs that are open already, queued or running. They are compared by payload: a
 * failed job that waits for its next attempt has no key. One of a later rank does not count: it may wait for long.
 * The open jobs are read once, and looked up by hash: without statistics they would be read again for each wanted one.
 */
export const findOpenJobs = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Search,
    Result: Schema.Struct({ index: Schema.Int }),
    execute: (_) => sql`
      with wanted as materialized (
        select one.index, one."customerID" as customer_id, one.payload::jsonb::text as payload
        from jsonb_to_recordset(${JSON.stringify(_.jobs.map((job, index) => ({ ...job, index })))}::jsonb)
          one (index int, "customerID" int, payload text)),
      open as materialized (
        select customer_id, payload::text as payload from job
        where customer_id = any(array(select distinct customer_id from wanted)) and kind = ${_.kind}
          and status in ('Queued', 'Running') and rank <= ${_.rank})
      select distinct index from open join wanted using (customer_id, payload)`
  })
