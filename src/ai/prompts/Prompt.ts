import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import type { AiCall, AiPurpose } from "../AiProvider.ts"
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
  readonly render: (input: Input, fence: Fence) => RenderedPrompt
}

export const makeMark = Effect.sync(() => randomBytes(12).toString("hex"))

/** Renders a prompt into a call. The ledger keeps the input, so that another version can be tried on it later. */
export const callWith = <Input, Encoded>(
  prompt: Prompt<Input, Encoded>,
  input: Input,
  about: Pick<AiCall, "customerID" | "slot" | "modelID" | "modelName" | "ticketMessageID" | "documents" | "quotes">
): Effect.Effect<AiCall> =>
  Effect.gen(function* () {
    const fence = fenceWith(yield* makeMark)
    return {
      ...about,
      purpose: prompt.purpose,
      promptVersion: prompt.version,
      ...prompt.render(input, fence),
      input: yield* Schema.encode(prompt.input)(input).pipe(Effect.orDie)
    }
  })
