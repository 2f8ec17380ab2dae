import { Cause, Option, Predicate } from "effect"
import { MailProblem } from "./MailGraph.ts"

const nameOf = (problem: unknown) => {
  if (problem instanceof MailProblem) return `MailProblem ${problem.reason}`
  if (Predicate.hasProperty(problem, "_tag")) return String(problem._tag)
  return problem instanceof Error ? problem.name : typeof problem
}

/** The kind of failure, for the log. Its message stays out: it may name mailboxes and people. */
export const failureKind = (cause: Cause.Cause<unknown>) =>
  Cause.isInterruptedOnly(cause)
    ? "interrupted"
    : Option.match(Cause.failureOption(cause), { onNone: () => nameOf(Cause.squash(cause)), onSome: nameOf })
