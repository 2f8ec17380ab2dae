import { Data, Effect } from "effect"

/** The operator asked for something impossible; the message says what to change. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

export const refuse = (message: string) => Effect.fail(new Refused({ message }))
