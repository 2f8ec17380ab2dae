import { Context, Effect, Layer, Option, type Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { AiRunID, CustomerID, ModelID } from "../../schema/Ids.ts"
import type { AiCall, ModelChoice } from "./AiCall.ts"
import { answerSchema } from "./AnswerSchema.ts"
import { plainText, shapedBy } from "./AnswerText.ts"
import { type AnswerShape, ModelCalls } from "./ModelCalls.ts"

export interface AiAnswer<A> {
  readonly value: A
  readonly modelID: ModelID
  readonly modelName: string
  /** The call's row in the ledger, if that is written by now. */
  readonly aiRunID: AiRunID | null
}

/**
 * Asks a model. A 400 names what the customer has not configured; a 502 means that the provider failed despite retries.
 * In both cases nothing changed.
 */
export class AiProvider extends Context.Tag("casework/AiProvider")<
  AiProvider,
  {
    readonly text: (call: AiCall) => Effect.Effect<AiAnswer<string>, BadRequest | BadGateway>
    /**
     * Returns an answer that the schema decodes. An answer that does not decode is asked for once more, then the call
     * fails.
     */
    readonly structured: <A, I>(
      call: AiCall,
      schema: Schema.Schema<A, I>
    ) => Effect.Effect<AiAnswer<A>, BadRequest | BadGateway>
    /** Like `structured`, but returns none when neither answer decodes, or when the model refused or did not finish. */
    readonly structuredIfUsable: <A, I>(
      call: AiCall,
      schema: Schema.Schema<A, I>
    ) => Effect.Effect<Option.Option<AiAnswer<A>>, BadRequest | BadGateway>
    /** Fails as a call with this choice would, without asking the model. */
    readonly check: (choice: ModelChoice) => Effect.Effect<void, BadRequest>
    /** Whether the customer can use AI at all; if not, the pipeline skips its AI steps. */
    readonly isConfigured: (customerID: CustomerID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    AiProvider,
    Effect.suspend(() => make)
  )
}

// An answer that does not decode is asked for once more.
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
