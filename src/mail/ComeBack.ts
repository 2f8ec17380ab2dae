import { Effect } from "effect"
import { pauseFor, RunAgain } from "../platform/queue/JobRun.ts"
import { MailProblem } from "./MailGraph.ts"

/** Requeues the job when the provider said how long to wait. */
export const comeBack = <A, E, R>(effect: Effect.Effect<A, E | MailProblem, R>) =>
  Effect.catchIf(
    effect,
    (error): error is MailProblem & { readonly retryAfterSeconds: number } =>
      error instanceof MailProblem && error.retryAfterSeconds !== undefined,
    ({ retryAfterSeconds }) => Effect.succeed(new RunAgain({ pauseSeconds: pauseFor(retryAfterSeconds) }))
  )
