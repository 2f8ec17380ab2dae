import {
  Array as Arr,
  Cause,
  Context,
  Data,
  Duration,
  Effect,
  Exit,
  FiberSet,
  Layer,
  Option,
  Schedule,
  Schema
} from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { JobID } from "../../schema/Jobs.ts"
import { ClaimLost, CurrentClaim, isClaimLost, type JobClaim, makeClaim } from "./JobClaim.ts"
import { type JobRank, OldWork, ranks } from "./JobRank.ts"
import { type ClaimedJob, ClaimTiming, type JobPlace, JobsRepo } from "./JobsRepo.ts"
import { makeLoopLoad } from "./LoopLoad.ts"
import { Stopping } from "./Stopping.ts"
import { fn } from "./telemetry/Fn.ts"
import { makeJobTelemetry } from "./telemetry/JobTelemetry.ts"
import { makeWakeUp } from "./WakeUp.ts"

/** A kind of work, with the shape of what it needs to know. Payloads hold ids, never secrets. */
export interface JobKind<Payload, Encoded> {
  readonly kind: string
  readonly payload: Schema.Schema<Payload, Encoded>
  /** Without one, somebody waits for it. */
  readonly rank?: JobRank
}

/** What a job answers that has done its part for now: the rest waits in the queue, so that others get their turn. */
export class Again extends Data.TaggedClass("Again")<{ readonly pauseSeconds: number }> {}

interface Wanted<Payload> {
  readonly customerID: CustomerID
  readonly payload: Payload
  readonly key?: string
}

interface Handler {
  readonly run: (customerID: CustomerID, payload: unknown, claim: JobClaim) => Effect.Effect<unknown, unknown>
  readonly giveUp: (
    customerID: CustomerID,
    payload: unknown,
    claim: JobClaim,
    reason: string
  ) => Effect.Effect<void, unknown>
}

const mostAttempts = 10

// Work waits for others most of the time. A customer never has all workers, so that the next one need not wait.
const workers = 12
const workersOfCustomer = 8

// Work that keeps the processor busy is done one after the other: more at once would only make requests wait.
const workersWhenBusy = 1
const busyLoad = 0.6

// Old work waits until there is nothing else to do, but not for ever: in any case one is begun this often.
const oldWorkPause = Duration.toMillis("1 second")

const longestRun = "10 minutes"

/** How long work under way may go on once the node was told to stop; what is left then goes back into the queue. */
export class StopWork extends Context.Reference<StopWork>()("casework/StopWork", {
  defaultValue: () => ({ within: Duration.seconds(10) })
}) {}

/**
 * Durable work. Enqueue inside the transaction of the cause: either both are there or neither is. A job runs at least
 * once, on whichever node is free, again after growing pauses when it fails, and elsewhere when its node dies.
 * Customers take turns: a long queue of one does not hold up another.
 */
export class Jobs extends Context.Tag("casework/Jobs")<
  Jobs,
  {
    readonly enqueue: <P, E>(
      kind: JobKind<P, E>,
      customerID: CustomerID,
      payload: NoInfer<P>,
      /** While a job of this key waits in the queue, there is no second one. */
      key?: string
    ) => Effect.Effect<JobID>
    /**
     * All at once, whosever they are. A transaction that takes several keys of a kind takes them in one go, or in the
     * order of their characters: others do the same.
     */
    readonly enqueueAll: <P, E>(kind: JobKind<P, E>, jobs: ReadonlyArray<Wanted<NoInfer<P>>>) => Effect.Effect<void>
    /** The same as part of a statement that makes what the job is about; `woken` afterwards. */
    readonly enqueuing: (typeof JobsRepo.Service)["inserting"]
    /** The values for it. */
    readonly placeOf: <P, E>(kind: JobKind<P, E>) => Effect.Effect<JobPlace>
    readonly woken: Effect.Effect<void>
    /**
     * Begins nothing new, lets what is under way come to its end for a while, and puts the rest back. Before anything
     * closes that the work may need.
     */
    readonly drain: Effect.Effect<void>
    /**
     * A run that ends with Again goes on later. Work that is given up, because its last attempt failed or its nodes
     * died, is told so: nothing must be left half done without anybody knowing.
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
  ).pipe(Layer.provide([JobsRepo.layer, Stopping.layer]))
}

const firstLine = (cause: Cause.Cause<unknown>) => Cause.pretty(cause).split("\n")[0]?.slice(0, 500) ?? "failed"

const make = Effect.gen(function* () {
  const repo = yield* JobsRepo
  const handlers = new Map<string, Handler>()
  const running = new Map<CustomerID, number>()
  const fibers = yield* FiberSet.make()
  const turns = yield* Effect.makeSemaphore(workers)
  const wakeUp = makeWakeUp()
  /** Work has come. A node that does none need not look. */
  const woken = () => {
    if (handlers.size > 0) wakeUp.call()
  }
  const stopping = yield* Stopping
  const stopWork = yield* StopWork
  const loopLoad = makeLoopLoad()
  let isDraining = false
  const drain = Effect.gen(function* () {
    isDraining = true
    yield* FiberSet.awaitEmpty(fibers).pipe(Effect.interruptible, Effect.timeoutOption(stopWork.within))
    yield* FiberSet.clear(fibers)
  })
  yield* Effect.addFinalizer(() => drain)
  const { renewEvery } = yield* ClaimTiming
  const telemetry = yield* makeJobTelemetry
  let lastServed = 0
  let oldWorkAt = 0
  let othersRunning = 0

  /** Ends only when the claim is lost, or could not be renewed in time. */
  const keepClaim = (job: ClaimedJob) =>
    repo.renew(job).pipe(
      Effect.timeout("5 seconds"),
      Effect.retry(Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(2))),
      Effect.filterOrDie(
        (holds) => holds,
        () => new ClaimLost({ jobID: job.jobID })
      ),
      Effect.delay(renewEvery),
      Effect.forever
    )

  const runningNow = () => [...running.values()].reduce((all, some) => all + some, 0)

  const claimOf = (job: ClaimedJob) =>
    makeClaim(
      repo,
      job,
      mostAttempts,
      () => runningNow() >= workers || (running.get(job.customerID) ?? 0) >= workersOfCustomer
    )

  const attempt = (job: ClaimedJob) => {
    if (job.attempts > mostAttempts) {
      return Effect.dieMessage(`Given up: ${mostAttempts} times it did not come to an end`)
    }
    const claim = claimOf(job)
    const work = handlers.get(job.kind)?.run(job.customerID, job.payload, claim) ?? Effect.void
    return Effect.provideService(work, CurrentClaim, claim)
  }

  const giveUp = (job: ClaimedJob, reason: string) =>
    Effect.suspend(() => {
      const claim = claimOf(job)
      return handlers.get(job.kind)?.giveUp(job.customerID, job.payload, claim, reason) ?? Effect.void
    }).pipe(Effect.catchAllCause((cause) => Effect.logError("work that was given up could not be ended", cause)))

  const failed = (job: ClaimedJob, cause: Cause.Cause<unknown>) => {
    const status = job.attempts >= mostAttempts ? "Failed" : "Queued"
    const error = firstLine(cause)
    return Effect.logWarning(isClaimLost(cause) ? "job lost" : "job failed", cause).pipe(
      Effect.annotateLogs({ jobID: job.jobID, kind: job.kind, attempts: job.attempts, status }),
      Effect.zipRight(Effect.when(giveUp(job, error), () => status === "Failed" && !isClaimLost(cause))),
      Effect.zipRight(repo.finish(job, { status, error, pause: 2 ** job.attempts }))
    )
  }

  const outcomeOf = (job: ClaimedJob) =>
    Exit.match({
      onSuccess: (end: unknown) => (end instanceof Again ? ("continued" as const) : ("succeeded" as const)),
      onFailure: (cause: Cause.Cause<unknown>) => {
        if (Cause.isInterruptedOnly(cause)) return "interrupted"
        return job.attempts >= mostAttempts ? "failed" : "retried"
      }
    })

  const observed = (job: ClaimedJob) =>
    telemetry.observe(
      job,
      Effect.suspend(() => attempt(job)).pipe(Effect.timeout(longestRun), Effect.raceFirst(keepClaim(job))),
      outcomeOf(job)
    )

  const run = (job: ClaimedJob) =>
    observed(job).pipe(
      Effect.matchCauseEffect({
        onSuccess: (end) =>
          end instanceof Again
            ? Effect.tap(repo.putBack(job, end.pauseSeconds), () => end.pauseSeconds === 0 && Effect.sync(wakeUp.call))
            : repo.finish(job, { status: "Succeeded", error: null, pause: 0 }),
        onFailure: (cause) => failed(job, cause)
      }),
      // The node is stopping: another one need not wait until the claim runs out.
      Effect.onInterrupt(() => Effect.ignore(repo.finish(job, { status: "Queued", error: null, pause: 0 }))),
      Effect.catchAllCause((cause) => Effect.logWarning("could not end a job", cause))
    )

  const count = (customerID: CustomerID, change: number) =>
    running.set(customerID, (running.get(customerID) ?? 0) + change)

  const start = (job: ClaimedJob) =>
    Effect.suspend(() => {
      lastServed = job.customerID
      const isOld = job.rank === ranks.old
      if (isOld) oldWorkAt = Date.now()
      else othersRunning += 1
      count(job.customerID, 1)
      const work = Effect.ensuring(
        Effect.interruptible(run(job)),
        Effect.suspend(() => {
          // Only where it stood in somebody's way: new work calls by itself.
          if ((running.get(job.customerID) ?? 0) >= workersOfCustomer) wakeUp.call()
          count(job.customerID, -1)
          if (!isOld) othersRunning -= 1
          return turns.release(1)
        })
      )
      return FiberSet.run(fibers, work)
    })

  const isBusy = () => runningNow() >= workersWhenBusy && loopLoad() > busyLoad

  const hasTimeForOld = () => (othersRunning === 0 && !isBusy()) || Date.now() - oldWorkAt > oldWorkPause

  /** Takes one job and starts it, when there is one and a worker is free; answers whether there was. */
  const takeOne = Effect.gen(function* () {
    const without = [...running].filter(([, jobs]) => jobs >= workersOfCustomer).map(([customerID]) => customerID)
    const job =
      handlers.size === 0 || isDraining || stopping.hasBegun()
        ? Option.none()
        : yield* repo.claim({ kinds: [...handlers.keys()], behind: lastServed, without, withOld: hasTimeForOld() })
    if (Option.isSome(job)) yield* start(job.value)
    else yield* turns.release(1)
    return Option.isSome(job)
  }).pipe(Effect.tapErrorCause(() => turns.release(1)))

  /** A quarter of a second at most: what waits for others must get its turn as well. */
  const afterRequests = Effect.sleep("25 millis").pipe(Effect.repeat({ while: isBusy, times: 9 }), Effect.when(isBusy))

  const dispatch = turns.take(1).pipe(
    Effect.zipRight(afterRequests),
    // What was claimed is started, even when the node is stopping at this moment; but a stop does not wait for a
    // database that does not answer.
    Effect.zipRight(Effect.disconnect(Effect.uninterruptible(takeOne))),
    Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("could not look for jobs", cause), false)),
    Effect.flatMap((found) => (found ? Effect.sync(wakeUp.call) : wakeUp.wait)),
    Effect.forever
  )
  yield* Effect.forkScoped(dispatch)

  const placeOf = <P, E>({ kind, rank = ranks.waitedFor }: JobKind<P, E>): Effect.Effect<JobPlace> =>
    Effect.flatMap(OldWork, (isOld) =>
      Effect.map(telemetry.cause, (traceParent) => ({ kind, rank: isOld ? ranks.old : rank, traceParent }))
    )

  const insert = Effect.fnUntraced(function* <P, E>(job: JobKind<P, E>, jobs: ReadonlyArray<Wanted<P>>) {
    const encode = Schema.encode(job.payload)
    const encoded = yield* Effect.forEach(jobs, ({ customerID, key = null, payload }) =>
      Effect.map(encode(payload), (value) => ({ customerID, key, payload: JSON.stringify(value) }))
    )
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
    enqueuing: repo.inserting,
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
