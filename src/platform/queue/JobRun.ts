import { Cause, Data, Duration, Effect, Exit, Schedule } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import type { JobTelemetry } from "../telemetry/JobTelemetry.ts"
import { firstLine } from "../text/FirstLine.ts"
import { ClaimLost, CurrentClaim, isClaimLost, type JobClaim, makeClaim } from "./JobClaim.ts"
import { ClaimTiming, JobsRepo } from "./JobsRepo.ts"
import type { ClaimedJob } from "./NextJob.ts"

/** Returned by a job that has done its part for now: the rest waits in the queue, so that other jobs get their turn. */
export class RunAgain extends Data.TaggedClass("RunAgain")<{
  readonly pauseSeconds: number
  /** The work broke off halfway: the next run must not take itself for the first attempt. */
  readonly hasBegun?: boolean
}> {}

// However long another service asks to wait, it is tried again after an hour.
const longestPause = 3600

/** How many seconds a job waits if another service has said when to come back. */
export const pauseFor = (secondsAskedFor: number) => Math.min(Math.max(1, secondsAskedFor), longestPause)

/** Does the work of one kind of job. */
export interface JobHandler {
  readonly run: (customerID: CustomerID, payload: unknown, claim: JobClaim) => Effect.Effect<unknown, unknown>
  readonly giveUp: (
    customerID: CustomerID,
    payload: unknown,
    claim: JobClaim,
    reason: string
  ) => Effect.Effect<void, unknown>
}

interface Surroundings {
  readonly handlers: ReadonlyMap<string, JobHandler>
  readonly telemetry: JobTelemetry
  /** Whether other jobs wait for a worker that this customer has. */
  readonly isCrowded: (customerID: CustomerID) => boolean
  /** Called when a job that continues at once is in the queue again. */
  readonly onPutBack: () => void
}

const mostAttempts = 10

const longestRun = "10 minutes"

/** Runs a claimed job until it is done, put back, to be retried, or given up. */
export const makeJobRun = Effect.fnUntraced(function* ({ handlers, isCrowded, onPutBack, telemetry }: Surroundings) {
  const repo = yield* JobsRepo
  const { claimSeconds, renewEvery } = yield* ClaimTiming
  // The work ends before its claim can pass to another node, even when the response to the last renewal came late.
  const timeLeft = Duration.subtract(Duration.seconds(claimSeconds * 0.96), renewEvery)
  const renewWithin = Duration.times(timeLeft, 0.75)
  const attemptWithin = Duration.times(renewWithin, 1 / 3)
  const retryEvery = Duration.times(renewWithin, 1 / 20)

  /** Ends only when the claim is lost, or could not be renewed in time. */
  const keepClaim = Effect.fnUntraced(function* (job: ClaimedJob) {
    let state: Effect.Effect.Success<ReturnType<typeof repo.renew>> = "Renewed"
    while (state !== "Lost") {
      // A claim that is locked by a transaction may have to be renewed as soon as that ends.
      yield* Effect.sleep(state === "Locked" ? Duration.times(renewEvery, 0.1) : renewEvery)
      state = yield* repo.renew(job).pipe(
        // A statement may take seconds to be interrupted when the database is silent: the limits must not wait for that.
        Effect.disconnect,
        Effect.timeout(attemptWithin),
        Effect.retry(Schedule.spaced(retryEvery)),
        Effect.timeout(renewWithin)
      )
    }
    return yield* Effect.die(new ClaimLost({ jobID: job.jobID }))
  })

  const claimOf = (job: ClaimedJob) => makeClaim(repo, job, mostAttempts, () => isCrowded(job.customerID))

  const attempt = (job: ClaimedJob) => {
    if (job.attempts > mostAttempts) {
      return Effect.dieMessage(`Given up: ${mostAttempts} attempts did not come to an end`)
    }
    const claim = claimOf(job)
    const work = handlers.get(job.kind)?.run(job.customerID, job.payload, claim)
    if (work === undefined) return Effect.dieMessage(`There is no handler for jobs of the kind ${job.kind}`)
    return Effect.provideService(work, CurrentClaim, claim)
  }

  const giveUp = (job: ClaimedJob, reason: string) =>
    Effect.suspend(() => {
      const claim = claimOf(job)
      const work = handlers.get(job.kind)?.giveUp(job.customerID, job.payload, claim, reason) ?? Effect.void
      return Effect.provideService(work, CurrentClaim, claim)
    }).pipe(
      Effect.timeout(longestRun),
      Effect.raceFirst(keepClaim(job)),
      Effect.catchAllCause((cause) => Effect.logError("could not finish giving up a job", cause))
    )

  const failed = (job: ClaimedJob, cause: Cause.Cause<unknown>) => {
    const status = job.attempts >= mostAttempts ? "Failed" : "Queued"
    const error = firstLine(cause)
    return Effect.logWarning(isClaimLost(cause) ? "job lost" : "job failed", cause).pipe(
      Effect.annotateLogs({ jobID: job.jobID, kind: job.kind, attempts: job.attempts, status }),
      Effect.zipRight(Effect.when(giveUp(job, error), () => status === "Failed" && !isClaimLost(cause))),
      Effect.zipRight(repo.finish(job, { status, error, pause: 2 ** job.attempts }))
    )
  }

  /** Puts a job back for another node. If that fails, the job waits until its claim expires. */
  const release = (job: ClaimedJob) =>
    repo.release(job).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("could not return a job to the queue", cause)),
      Effect.annotateLogs({ jobID: job.jobID, kind: job.kind })
    )

  const outcomeOf = (job: ClaimedJob) =>
    Exit.match({
      onSuccess: (end: unknown) => (end instanceof RunAgain ? ("continued" as const) : ("succeeded" as const)),
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

  return (job: ClaimedJob) =>
    observed(job).pipe(
      Effect.matchCauseEffect({
        onSuccess: (end) =>
          end instanceof RunAgain
            ? Effect.tap(repo.putBack(job, end), () => end.pauseSeconds === 0 && Effect.sync(onPutBack))
            : repo.finish(job, { status: "Succeeded", error: null, pause: 0 }),
        onFailure: (cause) => failed(job, cause)
      }),
      // The node is stopping: another one need not wait until the claim expires.
      Effect.onInterrupt(() => release(job)),
      Effect.catchAllCause((cause) => Effect.logWarning("could not record the end of a job", cause))
    )
})
