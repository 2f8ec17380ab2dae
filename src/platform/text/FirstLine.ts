import { Cause, Option } from "effect"

/** Sums up a cause in one line for people: the message of a failure, or the name and message of a defect. */
export const firstLine = (cause: Cause.Cause<unknown>) => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  const text = failure instanceof Error && failure.message !== "" ? failure.message : Cause.pretty(cause)
  return (text.split("\n")[0] ?? "").slice(0, 500)
}
