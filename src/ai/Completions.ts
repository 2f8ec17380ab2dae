import { Data, type Effect, type Option } from "effect"
import type { AiPurpose } from "../../schema/AiRuns.ts"
import type { AiImage } from "./AiCall.ts"

/** A question as it goes to a model. */
export interface Question {
  readonly purpose: AiPurpose
  readonly model: string
  readonly system: string
  readonly user: string
  readonly images: ReadonlyArray<AiImage>
  /** The answer must be JSON of this shape; none: plain text. */
  readonly answerSchema: Option.Option<object>
  /** What the asker should do when it takes too long; a question with it is not put again then. */
  readonly whenSlow?: string
}

export interface Completion {
  readonly text: string
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * There is no answer, and there will be none. The message is for the caller of the API and for the ledger; what a model
 * said nevertheless, such as that it refuses, is for the ledger alone: it was paid for.
 */
export class CompletionFailed extends Data.TaggedError("CompletionFailed")<{
  readonly message: string
  readonly completion?: Completion
  /** Whether the same question will never be answered; otherwise it may be at another time. */
  readonly isFinal?: boolean
}> {}

/** Puts a question to somebody who answers: a provider with a key, or the sandbox. */
export type Complete = (question: Question) => Effect.Effect<Completion, CompletionFailed>
