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
 */
export const findOpenJobs = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Search,
    Result: Schema.Struct({ index: Schema.Int }),
    execute: (_) => sql`
      select one.index from jsonb_to_recordset(${JSON.stringify(_.jobs.map((job, index) => ({ ...job, index })))}::jsonb)
        one (index int, "customerID" int, payload text)
      where exists (
        select from job where job.customer_id = one."customerID" and job.kind = ${_.kind}
          and job.status in ('Queued', 'Running') and job.rank <= ${_.rank} and job.payload = one.payload::jsonb)`
  })
