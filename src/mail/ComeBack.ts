import { Effect } from "effect"
import { Again, pauseFor } from "../platform/queue/JobRun.ts"
import { MailProblem } from "./MailGraph.ts"

/** A provider that says when to come back is taken at its word. */
export const comeBack = <A, E, R>(effect: Effect.Effect<A, E | MailProblem, R>) =>
  Effect.catchIf(
    effect,
    (error): error is MailProblem & { readonly retryAfterSeconds: number } =>
      error instanceof MailProblem && error.retryAfterSeconds !== undefined,
    ({ retryAfterSeconds }) => Effect.succeed(new Again({ pauseSeconds: pauseFor(retryAfterSeconds) }))
  )
