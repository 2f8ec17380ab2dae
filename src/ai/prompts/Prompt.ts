import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import type { AiPurpose } from "../../../schema/AiRuns.ts"
import type { AiCall } from "../AiCall.ts"
import { type Fence, fenceWith } from "../Fence.ts"

export interface RenderedPrompt {
  readonly system: string
  readonly user: string
}

/** One version of the prompt for a purpose. What it says depends on its input and on the fence's mark alone. */
export interface Prompt<Input, Encoded> {
  readonly purpose: AiPurpose
  readonly version: string
  readonly input: Schema.Schema<Input, Encoded>
  /** The part of an input that is put into words: what is too long is cut. Of what is short enough it leaves all. */
  readonly shortened: (input: Input) => Input
  /** Of an input of any length. */
  readonly render: (input: Input, fence: Fence) => RenderedPrompt
}

/** For what its route limits already. */
export const asItIs = <Input>(input: Input) => input

export const makeMark = Effect.sync(() => randomBytes(12).toString("hex"))

/**
 * Renders a prompt into a call. The ledger keeps the input as far as it was put into words, so that another version can
 * be tried on it later.
 */
export const callWith = <Input, Encoded>(
  prompt: Prompt<Input, Encoded>,
  input: Input,
  about: Omit<AiCall, "purpose" | "promptVersion" | "system" | "user" | "input">
): Effect.Effect<AiCall> =>
  Effect.gen(function* () {
    const fence = fenceWith(yield* makeMark)
    const kept = prompt.shortened(input)
    return {
      ...about,
      purpose: prompt.purpose,
      promptVersion: prompt.version,
      ...prompt.render(kept, fence),
      input: yield* Schema.encode(prompt.input)(kept).pipe(Effect.orDie)
    }
  })
