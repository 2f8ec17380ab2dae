import { Data, type Effect, type Option } from "effect"
import type { AiPurpose } from "../../schema/AiRuns.ts"
import type { AiImage } from "./AiCall.ts"

/** A question as sent to a model. */
export interface Question {
  readonly purpose: AiPurpose
  readonly model: string
  readonly system: string
  readonly user: string
  readonly images: ReadonlyArray<AiImage>
  /** The JSON schema of the answer; none means plain text. */
  readonly answerSchema: Option.Option<object>
  /** What the caller should do when it takes too long; a question that has this is not retried then. */
  readonly whenSlow?: string
}

export interface Completion {
  readonly text: string
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * The question got no answer. The message goes to the API's caller and to the ledger; whatever the model did say, such
 * as a refusal, goes to the ledger alone, because it was paid for.
 */
export class CompletionFailed extends Data.TaggedError("CompletionFailed")<{
  readonly message: string
  readonly completion?: Completion
  /** Whether the same question would always fail; otherwise it may succeed later. */
  readonly isFinal?: boolean
}> {}

/** Puts a question to whatever answers it: a provider with a key, or the sandbox. */
export type Complete = (question: Question) => Effect.Effect<Completion, CompletionFailed>
