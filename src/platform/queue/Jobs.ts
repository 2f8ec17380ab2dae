import { Array as Arr, Context, Duration, Effect, Exit, FiberSet, Layer, Option, Schema, Scope } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import type { JobID } from "../../../schema/Jobs.ts"
import { makeLoopLoad } from "../concurrency/LoopLoad.ts"
import { noLongerThan } from "../concurrency/NoLongerThan.ts"
import { steadyClock } from "../concurrency/SteadyClock.ts"
import { Stopping } from "../concurrency/Stopping.ts"
import { fn } from "../telemetry/Fn.ts"
import { makeJobTelemetry } from "../telemetry/JobTelemetry.ts"
import type { JobClaim } from "./JobClaim.ts"
import type { JobKind } from "./JobKind.ts"
import { OldWork, ranks } from "./JobRank.ts"
import { type JobHandler, makeJobRun } from "./JobRun.ts"
import { type JobRouting, JobsRepo } from "./JobsRepo.ts"
import { begin, end, isBusy, isCrowded, nextTurn, noTurns, standsInTheWay, workers } from "./JobTurns.ts"
import type { ClaimedJob } from "./NextJob.ts"
import { makeWakeUp } from "./WakeUp.ts"

export interface WantedJob<Payload> {
  readonly customerID: CustomerID
  readonly payload: Payload
  readonly key?: string
}

/** How long running jobs may continue once the node was told to stop; the rest then goes back into the queue. */
export class StopWork extends Context.Reference<StopWork>()("casework/StopWork", {
  defaultValue: () => ({ within: Duration.seconds(10) })
}) {}

/** How long it may take to put work back into the queue. */
const putBackWithin = "5 seconds"

/**
 * Durable jobs. Enqueue in the transaction of the cause: either both exist or neither does. A job runs at least once,
 * on any free node; it is retried after growing pauses if it fails, and elsewhere if its node dies. Customers take
 * turns, so that a long queue of one does not hold up another.
 */
export class Jobs extends Context.Tag("casework/Jobs")<
  Jobs,
  {
    readonly enqueue: <P, E>(
      kind: JobKind<P, E>,
      customerID: CustomerID,
      payload: NoInfer<P>,
      /** While a job with this key waits in the queue, no second one is added. */
      key?: string
    ) => Effect.Effect<JobID>
    /**
     * Enqueues jobs of any customers in one statement. A transaction that uses several keys of a kind must do so in one
     * call, or in the order of their characters, as all other transactions do.
     */
    readonly enqueueAll: <P, E>(kind: JobKind<P, E>, jobs: ReadonlyArray<WantedJob<NoInfer<P>>>) => Effect.Effect<void>
    /**
     * Those of the jobs that no job with the same payload does already, be it queued, running or waiting for its next
     * attempt.
     */
    readonly withoutOpen: <P, E>(
      kind: JobKind<P, E>,
      jobs: ReadonlyArray<WantedJob<NoInfer<P>>>
    ) => Effect.Effect<ReadonlyArray<WantedJob<P>>>
    /** The values for a job that is inserted by the same statement as what it is about; call `woken` afterwards. */
    readonly placeOf: <P, E>(kind: JobKind<P, E>) => Effect.Effect<JobRouting>
    readonly woken: Effect.Effect<void>
    /**
     * Starts no new jobs, lets running ones finish for a while, and puts the rest back. Call it before anything closes
     * that the jobs may need.
     */
    readonly drain: Effect.Effect<void>
    /**
     * A run that returns RunAgain continues later. `giveUp` is called for work whose last attempt failed, or whose nodes
     * died: nothing must be left half done unnoticed.
     */
    readonly handle: <P, E, Error>(
      kind: JobKind<P, E>,
      run: (customerID: CustomerID, payload: P, claim: JobClaim) => Effect.Effect<unknown, Error>,
      giveUp?: (customerID: CustomerID, payload: P, claim: JobClaim, reason: string) => Effect.Effect<void>
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Jobs,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(JobsRepo.layer))
}

const make = Effect.gen(function* () {
  const repo = yield* JobsRepo
  const now = yield* steadyClock
  const handlers = new Map<string, JobHandler>()
  // Not the scope of the layer, which would wait for its fibers however long they take.
  const underWay = yield* Scope.make()
  const fibers = yield* Scope.extend(FiberSet.make(), underWay)
  const places = yield* Effect.makeSemaphore(workers)
  let turns = noTurns
  const wakeUp = makeWakeUp()
  /** There is new work. A node without handlers need not look for it. */
  const woken = () => {
    if (handlers.size > 0) wakeUp.call()
  }
  const stopping = yield* Stopping
  const stopWork = yield* StopWork
  const loopLoad = makeLoopLoad()
  let isDraining = false
  let isClosed = false
  const drain = Effect.gen(function* () {
    isDraining = true
    yield* noLongerThan(stopWork.within)(FiberSet.awaitEmpty(fibers))
    isClosed = true
    // Interrupts all jobs at once. One that cannot be put back, such as without a database, waits until its claim
    // expires.
    yield* noLongerThan(putBackWithin)(Effect.disconnect(Scope.close(underWay, Exit.void)))
  })
  yield* Effect.addFinalizer(() => drain)
  const telemetry = yield* makeJobTelemetry

  const run = yield* makeJobRun({
    handlers,
    telemetry,
    isCrowded: (customerID) => isCrowded(turns, customerID),
    onPutBack: wakeUp.call
  })

  const start = (job: ClaimedJob) =>
    Effect.suspend(() => {
      if (isClosed) return Effect.asVoid(Effect.zipRight(repo.release(job), places.release(1)))
      turns = begin(turns, job, now())
      const work = Effect.ensuring(
        Effect.interruptible(run(job)),
        Effect.suspend(() => {
          // Only if the job held up others: new work wakes the dispatcher by itself.
          if (standsInTheWay(turns, job)) wakeUp.call()
          turns = end(turns, job)
          return places.release(1)
        })
      )
      return Effect.asVoid(FiberSet.run(fibers, work))
    })

  /** Claims a job and starts it, if there is one; returns whether there was. */
  const takeOne = Effect.gen(function* () {
    const job =
      handlers.size === 0 || isDraining || stopping.hasBegun()
        ? Option.none()
        : yield* repo.claim({ kinds: [...handlers.keys()], ...nextTurn(turns, loopLoad(), now()) })
    if (Option.isSome(job)) yield* start(job.value)
    else yield* places.release(1)
    return Option.isSome(job)
  }).pipe(Effect.tapErrorCause(() => places.release(1)))

  const requestsWait = () => isBusy(turns, loopLoad())
  /** A quarter of a second at most: work that waits for other services must get its turn, too. */
  const afterRequests = Effect.sleep("25 millis").pipe(
    Effect.repeat({ while: requestsWait, times: 9 }),
    Effect.when(requestsWait)
  )

  const dispatch = places.take(1).pipe(
    Effect.zipRight(afterRequests),
    // A claimed job is started or released even if the node is stopping at this moment; but stopping does not wait for
    // a database that does not respond.
    Effect.zipRight(Effect.disconnect(Effect.uninterruptible(takeOne))),
    Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("could not look for jobs", cause), false)),
    Effect.flatMap((found) => (found ? Effect.sync(wakeUp.call) : wakeUp.wait)),
    Effect.forever
  )
  yield* Effect.forkScoped(dispatch)

  const placeOf = <P, E>({
    asksModels = false,
    kind,
    rank = ranks.waitedFor
  }: JobKind<P, E>): Effect.Effect<JobRouting> =>
    Effect.flatMap(OldWork, (isOld) =>
      Effect.map(telemetry.cause, (traceParent) => ({ kind, rank: isOld ? ranks.old : rank, asksModels, traceParent }))
    )

  const encodeAll = <P, E>(job: JobKind<P, E>, jobs: ReadonlyArray<WantedJob<P>>) => {
    const encode = Schema.encode(job.payload)
    return Effect.forEach(jobs, ({ customerID, key = null, payload }) =>
      Effect.map(encode(payload), (value) => ({ customerID, key, payload: JSON.stringify(value) }))
    )
  }

  const insert = Effect.fnUntraced(function* <P, E>(job: JobKind<P, E>, jobs: ReadonlyArray<WantedJob<P>>) {
    const encoded = yield* encodeAll(job, jobs)
    const jobIDs = yield* repo.insert(yield* placeOf(job), encoded)
    woken()
    return jobIDs
  }, Effect.orDie)

  return Jobs.of({
    drain,
    enqueue: fn("Jobs.enqueue")(function* (kind, customerID, payload, key) {
      return yield* Effect.flatMap(insert(kind, [{ customerID, payload, ...(key !== undefined && { key }) }]), Arr.head)
    }, Effect.orDie),
    enqueueAll: fn("Jobs.enqueueAll")(function* (kind, jobs) {
      if (jobs.length === 0) return
      const nameOf = ({ customerID, key }: (typeof jobs)[number], index: number) =>
        key === undefined ? index : `${customerID} ${key}`
      yield* insert(kind, [...new Map(jobs.map((job, index) => [nameOf(job, index), job])).values()])
    }),
    withoutOpen: fn("Jobs.withoutOpen")(function* (kind, jobs) {
      if (jobs.length === 0) return []
      const open = yield* repo.findOpen(yield* placeOf(kind), yield* encodeAll(kind, jobs))
      return jobs.filter((_, index) => !open.has(index))
    }, Effect.orDie),
    placeOf,
    woken: Effect.sync(woken),
    handle: ({ kind, payload: schema }, run, giveUp) =>
      Effect.sync(() => {
        const decode = Schema.decodeUnknown(schema)
        telemetry.expect(kind)
        handlers.set(kind, {
          run: (customerID, payload, claim) =>
            Effect.flatMap(decode(payload), (decoded) => run(customerID, decoded, claim)),
          giveUp: (customerID, payload, claim, reason) =>
            Effect.flatMap(decode(payload), (decoded) => giveUp?.(customerID, decoded, claim, reason) ?? Effect.void)
        })
        wakeUp.call()
      })
  })
})
