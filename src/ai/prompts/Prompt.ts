import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import type { AiPurpose } from "../../../schema/AiRuns.ts"
import type { AiCall } from "../AiCall.ts"
import { type Fence, fenceWith } from "../Fence.ts"

export interface RenderedPrompt {
  readonly system: string
  readonly user: string
}

/** One version of the prompt for a purpose. Its text depends only on its input and the fence's mark. */
export interface Prompt<Input, Encoded> {
  readonly purpose: AiPurpose
  readonly version: string
  readonly input: Schema.Schema<Input, Encoded>
  /** Cuts what is too long for the prompt; input that is short enough stays unchanged. */
  readonly shortened: (input: Input) => Input
  /** Accepts input of any length. */
  readonly render: (input: Input, fence: Fence) => RenderedPrompt
}

/** For input whose length its route already limits. */
export const asItIs = <Input>(input: Input) => input

export const makeMark = Effect.sync(() => randomBytes(12).toString("hex"))

/**
 * Renders a prompt into a call. The ledger keeps the shortened input, so that another version can be tried on it later.
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
