import { type SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Schema } from "effect"
import { CustomerID } from "../../../schema/Ids.ts"
import { JobID } from "../../../schema/Jobs.ts"
import { type JobRank, ranks } from "./JobRank.ts"

const Claimed = Schema.Struct({
  jobID: JobID,
  customerID: CustomerID,
  kind: Schema.String,
  rank: Schema.Int,
  asksModels: Schema.Boolean,
  payload: Schema.Unknown,
  attempts: Schema.Int,
  claims: Schema.Int,
  askedAt: Schema.DateFromSelf,
  ageSeconds: Schema.Number,
  traceParent: Schema.NullOr(Schema.String)
})
export type ClaimedJob = typeof Claimed.Type

const Search = Schema.Struct({
  kinds: Schema.Array(Schema.String),
  behind: Schema.Int,
  without: Schema.Array(Schema.Int),
  /** Whether a worker is free for jobs that may wait for a model, and which customers get none for them in any case. */
  mayAsk: Schema.Boolean,
  askingEnough: Schema.Array(Schema.Int),
  /** Whether there is time for old work. */
  withOld: Schema.Boolean
})
export type JobSearch = typeof Search.Type

/** Claims a job that is due, for so many seconds, during which no other worker takes it. */
export const claimNextJob = (sql: SqlClient.SqlClient, claimSeconds: number) =>
  SqlSchema.findOne({
    Request: Search,
    Result: Claimed,
    execute: (_) => {
      // Goes rank by rank and no further than needed: jobs that are due later are never scanned.
      const first = (rank: JobRank, condition: Statement.Fragment) => sql`(
        select job_id from job
        where customer_id = customer.id and rank = ${rank} and status in ('Queued', 'Running') and due_at <= now()
          and ${sql.in("kind", _.kinds)} ${condition}
        order by due_at limit 1 for update skip locked)`
      const of = (rank: JobRank) => {
        const withoutModel = first(rank, sql`and not asks_models`)
        if (!_.mayAsk) return withoutModel
        if (_.askingEnough.length === 0) return first(rank, sql``)
        return sql`(case when customer.id = any(${_.askingEnough}::int[]) then ${withoutModel} else ${first(rank, sql``)} end)`
      }
      const old = _.withOld ? sql`, ${of(ranks.old)}` : sql``
      // Finds and locks in one go: a customer whose job is locked is passed over, and holds up no other.
      return sql`
        /* all customers: a worker takes whatever is due, from each customer in turn */
        with recursive waiting (id) as (
          (select customer_id from job where status in ('Queued', 'Running') order by customer_id limit 1)
          union all
          select (select customer_id from job where status in ('Queued', 'Running') and customer_id > waiting.id
            order by customer_id limit 1)
          from waiting where waiting.id is not null
        ), next as (
          select first.job_id from (
            select id from waiting where id is not null and id <> all(${_.without}::int[])
            order by id <= ${_.behind}, id
          ) customer
          cross join lateral (
            select coalesce(${of(ranks.waitedFor)}, ${of(ranks.fresh)}${old}) as job_id offset 0
          ) first
          where first.job_id is not null limit 1
        )
        update job set status = 'Running', attempts = attempts + 1, claims = claims + 1, updated_at = now(),
          due_at = now() + make_interval(secs => ${claimSeconds}::int)
        where job_id = (select job_id from next)
        returning job_id::text as "jobID", customer_id as "customerID", kind, rank,
          asks_models as "asksModels", payload,
          attempts, claims, created_at as "askedAt", extract(epoch from now() - created_at)::float8 as "ageSeconds",
          trace_parent as "traceParent"`
    }
  })
