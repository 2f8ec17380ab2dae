import { SqlClient, SqlSchema } from "@effect/sql"
import { Array, Cause, Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"

/** A kind of work, with the shape of what it needs to know. Payloads hold ids, never secrets. */
export interface JobKind<Payload, Encoded> {
  readonly kind: string
  readonly payload: Schema.Schema<Payload, Encoded>
}

type Run = (customerID: CustomerID, payload: unknown) => Effect.Effect<void, unknown>

const Claimed = Schema.Struct({
  jobID: Schema.String,
  customerID: CustomerID,
  kind: Schema.String,
  payload: Schema.Unknown,
  attempts: Schema.Int
})

const mostAttempts = 10

// One slow piece of work must not hold up the rest.
const workers = 4

// A claim that is not renewed runs out: another node takes the work over.
const claimSeconds = 25
const longestRun = "20 seconds"

/**
 * Durable work. Enqueue inside the transaction of the cause: either both are there or neither is. A job runs at least
 * once, on whichever node is free, again after growing pauses when it fails, and elsewhere when its node dies.
 */
export class Jobs extends Context.Tag("casework/Jobs")<
  Jobs,
  {
    readonly enqueue: <P, E>(kind: JobKind<P, E>, customerID: CustomerID, payload: P) => Effect.Effect<void>
    readonly handle: <P, E, Error>(
      kind: JobKind<P, E>,
      run: (customerID: CustomerID, payload: P) => Effect.Effect<void, Error>
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Jobs,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const handlers = new Map<string, Run>()

  const insert = SqlSchema.void({
    Request: Schema.Struct({ customerID: CustomerID, kind: Schema.String, payload: Schema.String }),
    execute: (_) => sql`
      insert into job (customer_id, kind, payload) values (${_.customerID}, ${_.kind}, ${_.payload}::jsonb)`
  })
  const claim = SqlSchema.findOne({
    Request: Schema.Array(Schema.String),
    Result: Claimed,
    execute: (kinds) => sql`
      /* all customers: a worker takes whatever is due */
      update job set status = 'Running', attempts = attempts + 1, updated_at = now(),
        due_at = now() + make_interval(secs => ${claimSeconds}::int)
      where job_id = (
        select job_id from job where status in ('Queued', 'Running') and due_at <= now() and ${sql.in("kind", kinds)}
        order by due_at limit 1 for update skip locked)
      returning job_id::text as "jobID", customer_id as "customerID", kind, payload, attempts`
  })
  // The number of the attempt tells whose claim it is: a node that lost its claim changes nothing any more.
  const finish = SqlSchema.void({
    Request: Schema.Struct({
      jobID: Schema.String,
      customerID: CustomerID,
      attempts: Schema.Int,
      status: Schema.String,
      error: Schema.NullOr(Schema.String),
      pauseSeconds: Schema.Int
    }),
    execute: (_) => sql`
      update job set status = ${_.status}, error = ${_.error}, updated_at = now(),
        due_at = now() + make_interval(secs => ${_.pauseSeconds}::int)
      where customer_id = ${_.customerID} and job_id = ${_.jobID}::uuid
        and status = 'Running' and attempts = ${_.attempts}`
  })

  const attempt = (job: typeof Claimed.Type) =>
    job.attempts > mostAttempts
      ? Effect.dieMessage(`Given up: ${mostAttempts} times it did not come to an end`)
      : (handlers.get(job.kind)?.(job.customerID, job.payload) ?? Effect.void)

  const run = (job: typeof Claimed.Type) =>
    Effect.suspend(() => attempt(job)).pipe(
      Effect.timeout(longestRun),
      Effect.matchCauseEffect({
        onSuccess: () => finish({ ...job, status: "Succeeded", error: null, pauseSeconds: 0 }),
        onFailure: (cause) => {
          const status = job.attempts >= mostAttempts ? "Failed" : "Queued"
          const error = Cause.pretty(cause).split("\n")[0]?.slice(0, 500) ?? "failed"
          return Effect.logWarning("job failed", cause).pipe(
            Effect.annotateLogs({ jobID: job.jobID, kind: job.kind, attempts: job.attempts, status }),
            Effect.zipRight(finish({ ...job, status, error, pauseSeconds: 2 ** job.attempts }))
          )
        }
      }),
      // The node is stopping: another one need not wait until the claim runs out.
      Effect.onInterrupt(() => Effect.ignore(finish({ ...job, status: "Queued", error: null, pauseSeconds: 0 })))
    )

  const work = Effect.suspend(() => (handlers.size === 0 ? Effect.succeedNone : claim([...handlers.keys()]))).pipe(
    Effect.tap(Option.match({ onNone: () => Effect.void, onSome: run })),
    // While there is work, take the next piece at once.
    Effect.repeat({ while: Option.isSome })
  )
  const worker = work.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("could not look for jobs", cause)),
    Effect.repeat(Schedule.jittered(Schedule.spaced("1 second")))
  )
  yield* Effect.forEach(Array.range(1, workers), () => Effect.forkScoped(worker))

  return Jobs.of({
    enqueue: Effect.fn("Jobs.enqueue")(function* <P, E>(
      { kind, payload: schema }: JobKind<P, E>,
      customerID: CustomerID,
      payload: P
    ) {
      const encoded = yield* Schema.encode(Schema.parseJson(schema))(payload)
      yield* insert({ customerID, kind, payload: encoded })
    }, Effect.orDie),
    handle: ({ kind, payload: schema }, run) =>
      Effect.sync(() => {
        const decode = Schema.decodeUnknown(schema)
        handlers.set(kind, (customerID, payload) =>
          Effect.flatMap(decode(payload), (decoded) => run(customerID, decoded))
        )
      })
  })
})
