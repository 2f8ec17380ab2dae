import { SqlClient, type SqlError, SqlSchema, type Statement } from "@effect/sql"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { CustomerID } from "../../../schema/Ids.ts"
import { JobID } from "../../../schema/Jobs.ts"
import { failOnDuplicate } from "../database/Violations.ts"
import type { PlaceholderFor } from "../database/WrittenOnce.ts"
import type { JobRank } from "./JobRank.ts"
import { type ClaimedJob, claimNextJob, type JobSearch } from "./NextJob.ts"
import { findOpenJobs } from "./OpenJobs.ts"
import type { Retention } from "./Retention.ts"

export const jobRetention: Retention = {
  table: "job",
  since: "updated_at",
  for: "30 days",
  where: "status in ('Succeeded', 'Failed')"
}

/** What to add to a job's progress; what is left out stays as it is. */
export interface Progress {
  readonly total?: number
  readonly done?: number
  readonly imported?: number
  readonly skipped?: number
  readonly failed?: number
}

const Held = Schema.Struct({
  jobID: JobID,
  customerID: CustomerID,
  attempts: Schema.Int,
  claims: Schema.Int
})

interface NewJob {
  readonly customerID: CustomerID
  readonly payload: string
  readonly key: string | null
}

/** Where a job stands in the queue, and the span that enqueued it. */
export interface JobRouting {
  readonly kind: string
  readonly rank: JobRank
  readonly asksModels: boolean
  readonly traceParent: string | null
}

/** A claim that is not renewed expires, and another node takes over the job. */
export class ClaimTiming extends Context.Reference<ClaimTiming>()("casework/ClaimTiming", {
  defaultValue: () => ({ claimSeconds: 25, renewEvery: Duration.seconds(7) })
}) {}

export class JobsRepo extends Context.Tag("casework/JobsRepo")<
  JobsRepo,
  {
    /**
     * A job that is already queued under the same key is not duplicated; its id is returned. No two of the given jobs
     * of one customer may have the same key.
     */
    readonly insert: (place: JobRouting, jobs: ReadonlyArray<NewJob>) => Effect.Effect<ReadonlyArray<JobID>>
    /** The indexes of those jobs that are open already, at no later rank. */
    readonly findOpen: (place: JobRouting, jobs: ReadonlyArray<NewJob>) => Effect.Effect<ReadonlySet<number>>
    /** The insert of one job as a part of another statement, which supplies the payload and the rows to insert from. */
    readonly inserting: (
      place: PlaceholderFor<JobRouting & { readonly customerID: CustomerID }>,
      payload: Statement.Fragment,
      from: Statement.Fragment
    ) => Statement.Fragment
    /** Claims a job that is due: the first by rank, of the next customer after the given one, in a circle. */
    readonly claim: (search: JobSearch) => Effect.Effect<Option.Option<ClaimedJob>>
    /** Renews a claim. Locked: a transaction of the job itself holds it, so nothing else can take or renew it. */
    readonly renew: (job: ClaimedJob) => Effect.Effect<"Renewed" | "Locked" | "Lost", SqlError.SqlError>
    /**
     * Adds progress and locks the job. Like `finish`, `putBack` and `release`, returns whether the claim still holds;
     * if not, nothing changes.
     */
    readonly advance: (job: ClaimedJob, progress: Progress) => Effect.Effect<boolean>
    readonly finish: (
      job: ClaimedJob,
      end: { readonly status: "Succeeded" | "Failed" | "Queued"; readonly error: string | null; readonly pause: number }
    ) => Effect.Effect<boolean>
    /** A statement that renews the claim, for the `with` of another one; it returns no rows if the claim is lost. */
    readonly holding: (job: ClaimedJob) => Statement.Fragment
    /**
     * Puts a job back into the queue as if it had never been tried, or, if it has begun, as one past its first attempt.
     */
    readonly putBack: (
      job: ClaimedJob,
      again: { readonly pauseSeconds: number; readonly hasBegun?: boolean }
    ) => Effect.Effect<boolean>
    /** Puts a job back into the queue for another node, which knows that it is not the first one to try. */
    readonly release: (job: ClaimedJob) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    JobsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { claimSeconds } = yield* ClaimTiming
  const Returned = Schema.Struct({ jobID: JobID })

  const insert = SqlSchema.findAll({
    Request: Schema.Struct({
      kind: Schema.String,
      rank: Schema.Int,
      asksModels: Schema.Boolean,
      traceParent: Schema.NullOr(Schema.String),
      jobs: Schema.Array(
        Schema.Struct({ customerID: CustomerID, payload: Schema.String, key: Schema.NullOr(Schema.String) })
      )
    }),
    Result: Returned,
    // Ordered by key, so that two statements with several keys in common do not deadlock.
    execute: (_) => sql`
      insert into job (customer_id, kind, rank, asks_models, payload, key, trace_parent)
      select one."customerID", ${_.kind}, ${_.rank}, ${_.asksModels}::boolean, one.payload::jsonb, one.key,
        ${_.traceParent}::text
      from jsonb_to_recordset(${JSON.stringify(_.jobs)}::jsonb) one ("customerID" int, payload text, key text)
      order by one."customerID", one.key collate "C"
      on conflict (customer_id, kind, key) where status = 'Queued'
        do update set key = excluded.key, rank = least(job.rank, excluded.rank)
      returning job_id::text as "jobID"`
  })
  const findOpen = findOpenJobs(sql)
  const claim = claimNextJob(sql, claimSeconds)
  // The numbers of the attempt and of the claim identify who holds the job.
  const held = (_: typeof Held.Encoded) => sql`
    customer_id = ${_.customerID} and job_id = ${_.jobID}::uuid
    and status = 'Running' and attempts = ${_.attempts} and claims = ${_.claims}`
  // Counted from the actual time: the transaction may have begun long before.
  const fromNow = sql`clock_timestamp() + make_interval(secs => ${claimSeconds}::int)`
  const holding = (_: typeof Held.Encoded) => sql`
    update job set due_at = ${fromNow} where ${held(_)} returning job_id::text as "jobID"`
  // A job that its own transaction has locked cannot be taken over; waiting for that lock would end the work.
  const renew = SqlSchema.findOne({
    Request: Held,
    Result: Schema.Struct({ isFree: Schema.Boolean }),
    execute: (_) => sql`
      with free as (select job_id from job where ${held(_)} for update skip locked),
        renewed as (
          update job set due_at = ${fromNow}
          where customer_id = ${_.customerID} and job_id in (select job_id from free))
      select exists (select from free) as "isFree" from job where ${held(_)}`
  })
  const advance = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Held.fields,
      total: Schema.Int,
      done: Schema.Int,
      imported: Schema.Int,
      skipped: Schema.Int,
      failed: Schema.Int
    }),
    Result: Returned,
    execute: (_) => sql`
      update job set total = total + ${_.total}, done = done + ${_.done}, imported = imported + ${_.imported},
        skipped = skipped + ${_.skipped}, failed = failed + ${_.failed}, updated_at = now(), due_at = ${fromNow}
      where ${held(_)} returning job_id::text as "jobID"`
  })
  const finish = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Held.fields,
      status: Schema.String,
      error: Schema.NullOr(Schema.String),
      pause: Schema.Int
    }),
    Result: Returned,
    execute: (_) => sql`
      update job set status = ${_.status}, error = ${_.error}, updated_at = now(),
        due_at = now() + make_interval(secs => ${_.pause}::int), key = null,
        -- An interrupted attempt has counted items that the next attempt counted again.
        total = case ${_.status} when 'Succeeded' then done else total end
      where ${held(_)} returning job_id::text as "jobID"`
  })
  // A job that only makes way keeps its key, so that it is not duplicated, unless another is queued under it already. A
  // failed job loses its key, so that a new one need not wait for its growing pauses.
  const makeWay = SqlSchema.findAll({
    Request: Schema.Struct({ ...Held.fields, attemptsSoFar: Schema.Int, pause: Schema.Int }),
    Result: Returned,
    execute: (_) => sql`
      update job set status = 'Queued', attempts = ${_.attemptsSoFar}, error = null, updated_at = now(),
        due_at = now() + make_interval(secs => ${_.pause}::int), key = case when not exists (
          select 1 from job twin where twin.customer_id = ${_.customerID} and twin.kind = job.kind
            and twin.key = job.key and twin.status = 'Queued') then key end
      where ${held(_)} returning job_id::text as "jobID"`
  })

  const didSomething = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    rows.pipe(
      Effect.map(({ length }) => length > 0),
      Effect.orDie
    )
  // Another job may be queued under the key between the check and the write: the next check sees it.
  const putBack = (job: Parameters<typeof makeWay>[0]) =>
    didSomething(Effect.retry(failOnDuplicate(makeWay(job)), { times: 2 }))
  const nothing = { total: 0, done: 0, imported: 0, skipped: 0, failed: 0 }

  return JobsRepo.of({
    insert: (place, jobs) =>
      insert({ ...place, jobs }).pipe(
        Effect.map((rows) => rows.map(({ jobID }) => jobID)),
        Effect.orDie
      ),
    findOpen: (place, jobs) =>
      findOpen({ ...place, jobs }).pipe(
        Effect.map((rows) => new Set(rows.map(({ index }) => index))),
        Effect.orDie
      ),
    inserting: (place, payload, from) => sql`
      insert into job (customer_id, kind, rank, asks_models, payload, trace_parent)
      select ${place((_) => _.customerID)}::int, ${place((_) => _.kind)}::text, ${place((_) => _.rank)}::smallint,
        ${place((_) => _.asksModels)}::boolean, ${payload}, ${place((_) => _.traceParent)}::text
      from ${from}`,
    claim: (search) => claim(search).pipe(Effect.orDie),
    renew: (job) =>
      renew(job).pipe(
        Effect.map(
          Option.match({ onNone: () => "Lost" as const, onSome: ({ isFree }) => (isFree ? "Renewed" : "Locked") })
        ),
        Effect.catchTag("ParseError", Effect.die)
      ),
    holding,
    advance: (job, progress) => didSomething(advance({ ...job, ...nothing, ...progress })),
    finish: (job, end) => didSomething(finish({ ...job, ...end })),
    putBack: (job, { hasBegun = false, pauseSeconds }) =>
      putBack({ ...job, attemptsSoFar: hasBegun ? Math.max(1, job.attempts - 1) : 0, pause: pauseSeconds }),
    release: (job) => putBack({ ...job, attemptsSoFar: job.attempts, pause: 0 })
  })
})
