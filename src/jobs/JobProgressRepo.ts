import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Job, JobID } from "../../schema/Jobs.ts"

export class JobProgressRepo extends Context.Tag("casework/JobProgressRepo")<
  JobProgressRepo,
  { readonly find: (customerID: CustomerID, jobID: JobID) => Effect.Effect<Option.Option<Job>> }
>() {
  static readonly layer = Layer.effect(
    JobProgressRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Schema.Struct({ customerID: CustomerID, jobID: JobID }),
        Result: Schema.Struct({
          ...Job.fields,
          dateCreated: Schema.DateTimeUtcFromDate,
          dateUpdated: Schema.DateTimeUtcFromDate
        }),
        // A job that is queued again for its next batch still counts as running.
        execute: (_) => sql`
          select job_id::text as "jobID", kind, total, done, imported, skipped, failed, error,
            case when status = 'Queued' and done > 0 then 'Running' else status end as status,
            created_at as "dateCreated", updated_at as "dateUpdated"
          from job where customer_id = ${_.customerID} and job_id = ${_.jobID}::uuid`
      })
      return {
        find: (customerID, jobID) => find({ customerID, jobID }).pipe(Effect.orDie)
      }
    })
  )
}
