import type { SqlError, Statement } from "@effect/sql"
import { Cause, Chunk, Clock, Context, Data, Duration, Effect } from "effect"
import type { JobID } from "../../../schema/Jobs.ts"
import type { JobsRepo, Progress } from "./JobsRepo.ts"
import type { ClaimedJob } from "./NextJob.ts"

/** Another node has taken over the job: this one must stop working on it. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly jobID: JobID }> {
  override get message() {
    return `Job ${this.jobID} was taken over by another node`
  }
}

export const isClaimLost = (cause: Cause.Cause<unknown>) =>
  Chunk.some(Cause.defects(cause), (defect) => defect instanceof ClaimLost)

/**
 * Handles defects in a job's work, except ClaimLost: if another node has taken over the job, the work here must end.
 */
export const catchBreakage =
  <A2, E2, R2>(mend: (defect: unknown) => Effect.Effect<A2, E2, R2>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R | R2> =>
    Effect.catchAllDefect(work, (defect) => (defect instanceof ClaimLost ? Effect.die(defect) : mend(defect)))

/** What a running job knows about itself. */
export interface JobClaim {
  readonly jobID: JobID
  /** Which attempt this is, from 1; after the last one the job is given up. */
  readonly number: number
  readonly isLast: boolean
  /** When the job was enqueued, and how long ago that is. */
  readonly askedAt: Date
  readonly ageSeconds: number
  /** Whether other jobs wait for a worker: long work then makes way. */
  readonly isCrowded: () => boolean
  /**
   * Adds to the progress, or dies with ClaimLost. Inside a transaction it also fences the writes there: they happen
   * only while the claim holds, and no other node takes over the job before they are done.
   */
  readonly advance: (progress: Progress) => Effect.Effect<void>
  /** Fences writes as `advance` does, without adding any progress. */
  readonly confirm: Effect.Effect<void>
  /**
   * Confirms the claim right before an external effect. A node that was paused may find an old result in its socket: if
   * the result took so long that the claim may have expired since, the database is asked again.
   */
  readonly confirmNow: Effect.Effect<void>
  /**
   * Runs one statement that writes only while the claim holds, where a transaction would take four. The statement puts
   * `holding` into a `with`, and returns the rows of what it wrote.
   */
  readonly write: (
    statement: (holding: Statement.Fragment) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  ) => Effect.Effect<void>
}

/** The claim of the job that the current fiber works on; null in a request. */
export class CurrentClaim extends Context.Reference<CurrentClaim>()("casework/CurrentClaim", {
  defaultValue: (): JobClaim | null => null
}) {}

/** Fences the writes of the current transaction if they belong to a job. */
export const confirmClaim = Effect.flatMap(CurrentClaim, (claim) => claim?.confirm ?? Effect.void)

/** Must run before every external effect that must not happen twice. */
export const confirmClaimNow = Effect.flatMap(CurrentClaim, (claim) => claim?.confirmNow ?? Effect.void)

// How long a confirmation counts: well below the time after which a claim expires.
const freshFor = Duration.toMillis("10 seconds")

export const makeClaim = (
  repo: typeof JobsRepo.Service,
  job: ClaimedJob,
  mostAttempts: number,
  isCrowded: () => boolean
): JobClaim => {
  const orLost = (holds: boolean) => (holds ? Effect.void : Effect.die(new ClaimLost({ jobID: job.jobID })))
  const advance = (progress: Progress) => Effect.flatMap(repo.advance(job, progress), orLost)
  const confirm = advance({})
  const confirmNow: Effect.Effect<void> = Effect.gen(function* () {
    const started = yield* Clock.currentTimeNanos
    yield* confirm
    const took = Number((yield* Clock.currentTimeNanos) - started) / 1e6
    if (took > freshFor) yield* confirmNow
  })
  return {
    jobID: job.jobID,
    number: job.attempts,
    isLast: job.attempts >= mostAttempts,
    askedAt: job.askedAt,
    ageSeconds: job.ageSeconds,
    isCrowded,
    advance,
    confirm,
    confirmNow,
    write: (statement) =>
      statement(repo.holding(job)).pipe(
        Effect.orDie,
        Effect.flatMap(({ length }) => orLost(length > 0))
      )
  }
}
