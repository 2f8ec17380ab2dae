import { Cause, Option } from "effect"

/** What went wrong, for a line that people read: what a failure says of itself, and of a fault also what it is called. */
export const firstLine = (cause: Cause.Cause<unknown>) => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  const text = failure instanceof Error && failure.message !== "" ? failure.message : Cause.pretty(cause)
  return (text.split("\n")[0] ?? "").slice(0, 500)
}
