import { Context, Effect, Layer, Option, type Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, ModelID } from "../../schema/Ids.ts"
import type { AiCall, ModelChoice } from "./AiCall.ts"
import { answerSchema } from "./AnswerSchema.ts"
import { plainText, shapedBy } from "./AnswerText.ts"
import { type AnswerShape, ModelCalls } from "./ModelCalls.ts"

export interface AiAnswer<A> {
  readonly value: A
  readonly modelID: ModelID
  readonly modelName: string
}

/**
 * Asks a model. 400 names what the customer has not configured, 502 says that the provider failed after retries; in
 * both cases nothing changed.
 */
export class AiProvider extends Context.Tag("casework/AiProvider")<
  AiProvider,
  {
    readonly text: (call: AiCall) => Effect.Effect<AiAnswer<string>, BadRequest | BadGateway>
    /** An answer that the schema decodes; what does not decode is asked for once more, then fails. */
    readonly structured: <A, I>(
      call: AiCall,
      schema: Schema.Schema<A, I>
    ) => Effect.Effect<AiAnswer<A>, BadRequest | BadGateway>
    /** The same, but none for an answer that does not decode either time, or that is no whole one. */
    readonly structuredIfUsable: <A, I>(
      call: AiCall,
      schema: Schema.Schema<A, I>
    ) => Effect.Effect<Option.Option<AiAnswer<A>>, BadRequest | BadGateway>
    /** Fails as a call would that names this model, without asking it. */
    readonly check: (choice: ModelChoice) => Effect.Effect<void, BadRequest>
    /** Whether the customer can use AI at all: without it the AI steps of the pipeline are skipped. */
    readonly isConfigured: (customerID: CustomerID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    AiProvider,
    Effect.suspend(() => make)
  )
}

// What does not decode is asked for once more.
const structuredAttempts = 2

const shapeOf = <A, I>(schema: Schema.Schema<A, I>): AnswerShape<A> => ({
  read: shapedBy(schema),
  jsonSchema: Option.some(answerSchema(schema)),
  attempts: structuredAttempts
})

const make = Effect.gen(function* () {
  const { ask, askIfUsable, check, isConfigured } = yield* ModelCalls
  return AiProvider.of({
    text: (call) => ask(call, { read: plainText, jsonSchema: Option.none(), attempts: 1 }),
    structured: (call, schema) => ask(call, shapeOf(schema)),
    structuredIfUsable: (call, schema) => askIfUsable(call, shapeOf(schema)),
    check,
    isConfigured
  })
})
