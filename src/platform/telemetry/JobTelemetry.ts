import { Headers, HttpTraceContext } from "@effect/platform"
import { Clock, Effect, type Exit, Option, type Tracer } from "effect"
import type { ClaimedJob } from "../queue/NextJob.ts"
import { isTraced } from "./RequestTelemetry.ts"
import { jobDuration, jobs, jobsOldest, jobsRunning, jobsWaiting } from "./ServiceMetrics.ts"

const outcomes = ["succeeded", "continued", "retried", "failed", "interrupted"] as const

type Outcome = (typeof outcomes)[number]

/** Links to the span that enqueued a job, as stored with the job. */
const linkTo = (traceParent: string | null): ReadonlyArray<Tracer.SpanLink> =>
  Option.match(HttpTraceContext.w3c(Headers.fromInput({ traceparent: traceParent ?? "" })), {
    onNone: () => [],
    onSome: (span) => [{ _tag: "SpanLink", span, attributes: {} }]
  })

/** Counts the runs of jobs and, if tracing is on, makes a span of each that links to its cause. */
export const makeJobTelemetry = Effect.map(isTraced, (traced) => {
  const inSpan = <A, E, R>(job: ClaimedJob, run: Effect.Effect<A, E, R>) =>
    traced
      ? Effect.withSpan(run, `job ${job.kind}`, {
          kind: "consumer",
          root: true,
          captureStackTrace: false,
          links: linkTo(job.traceParent),
          attributes: {
            "casework.customer_id": job.customerID,
            "casework.job_id": job.jobID,
            "casework.job_kind": job.kind,
            "casework.job_attempt": job.attempts
          }
        })
      : run

  return {
    /** Creates a kind's metrics at the start, so that a queue that stands still and a first failure can be seen. */
    expect: (kind: string) => {
      for (const metric of [jobsRunning, jobsWaiting, jobsOldest]) metric.change(0, { kind })
      for (const outcome of outcomes) jobs.add({ kind, outcome }, 0)
    },

    cause: traced
      ? Effect.map(Effect.option(Effect.currentSpan), (span) =>
          Option.isSome(span) && span.value.sampled ? `00-${span.value.traceId}-${span.value.spanId}-01` : null
        )
      : Effect.succeed(null),

    observe: <A, E, R>(
      job: ClaimedJob,
      run: Effect.Effect<A, E, R>,
      outcomeOf: (exit: Exit.Exit<A, E>) => Outcome
    ): Effect.Effect<A, E, R> =>
      Effect.flatMap(Clock.currentTimeNanos, (started) => {
        const { kind } = job
        jobsRunning.change(1, { kind })
        return Effect.onExit(inSpan(job, run), (exit) =>
          Effect.map(Clock.currentTimeNanos, (now) => {
            jobsRunning.change(-1, { kind })
            jobs.add({ kind, outcome: outcomeOf(exit) })
            jobDuration.observe({ kind }, Number(now - started) / 1e9)
          })
        )
      })
  }
})

export type JobTelemetry = Effect.Effect.Success<typeof makeJobTelemetry>
