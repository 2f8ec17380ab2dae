import type { SqlError, Statement } from "@effect/sql"
import { Cause, Chunk, Clock, Context, Data, Duration, Effect } from "effect"
import type { JobID } from "../../../schema/Jobs.ts"
import type { JobsRepo, Progress } from "./JobsRepo.ts"
import type { ClaimedJob } from "./NextJob.ts"

/** Another node has taken the job over: this one must not go on with it. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly jobID: JobID }> {
  override get message() {
    return `Job ${this.jobID} was taken over by another node`
  }
}

export const isClaimLost = (cause: Cause.Cause<unknown>) =>
  Chunk.some(Cause.defects(cause), (defect) => defect instanceof ClaimLost)

/** For what broke in a job's work. That another node has taken it over is no breakage: it ends what this one does. */
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
  /** When the job was asked for, and how long ago that is. */
  readonly askedAt: Date
  readonly ageSeconds: number
  /** Whether others wait for a worker: then long work makes way. */
  readonly isCrowded: () => boolean
  /**
   * Adds to the progress. Inside a transaction it also fences the writes there: they happen only while the claim
   * holds, and nobody takes the job over before they are done. Dies with ClaimLost otherwise.
   */
  readonly advance: (progress: Progress) => Effect.Effect<void>
  /** Fences writes as `advance` does, without any progress. */
  readonly confirm: Effect.Effect<void>
  /**
   * Confirms the claim right before something leaves the house. A node that was paused has old answers in its sockets:
   * when an answer took so long that the claim may have run out since, the database is asked again.
   */
  readonly confirmNow: Effect.Effect<void>
  /**
   * One statement that writes only while the claim holds, where a transaction would take four. It puts what it is given
   * into a `with`, and answers the rows of that.
   */
  readonly write: (
    statement: (holding: Statement.Fragment) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  ) => Effect.Effect<void>
}

/** The claim of the job that the current fiber works for; none in a request. */
export class CurrentClaim extends Context.Reference<CurrentClaim>()("casework/CurrentClaim", {
  defaultValue: (): JobClaim | null => null
}) {}

/** Fences the writes of the current transaction when they are a job's. */
export const fence = Effect.flatMap(CurrentClaim, (claim) => claim?.confirm ?? Effect.void)

/** Stands before every effect outside that must not happen twice. */
export const beforeItLeaves = Effect.flatMap(CurrentClaim, (claim) => claim?.confirmNow ?? Effect.void)

// For how long an answer counts: well before a claim runs out.
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
