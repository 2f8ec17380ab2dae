import { Array as Arr, Context, Effect, Layer, Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { callWith } from "./prompts/Prompt.ts"
import { type TopicsInput, topicsPrompt } from "./prompts/Topics.ts"

interface DetectionRequest extends TopicsInput {
  readonly customerID: CustomerID
  readonly ticketMessageID: TicketMessageID
  readonly modelName?: string
  /** The messages whose corrected topics serve as examples. */
  readonly quotes: ReadonlyArray<TicketMessageID>
}

/** Detects what a message is about. */
export class Detection extends Context.Tag("casework/Detection")<
  Detection,
  {
    /** Fails when the named model cannot be used. */
    readonly check: (customerID: CustomerID, modelName: string | undefined) => Effect.Effect<void, BadRequest>
    /** The fitting ones of the given topics, best first. Without topics or without text, no model is asked. */
    readonly topics: (request: DetectionRequest) => Effect.Effect<ReadonlyArray<TopicID>, BadRequest | BadGateway>
  }
>() {
  static readonly layer = Layer.effect(
    Detection,
    Effect.suspend(() => make)
  )
}

/** Only the given topics are allowed in an answer: any other fails to decode. */
const answerOf = (topicIDs: Arr.NonEmptyReadonlyArray<TopicID>) =>
  Schema.Struct({ topicIDs: Schema.Array(Schema.Literal(...topicIDs)) })

const make = Effect.gen(function* () {
  const ai = yield* AiProvider

  const check = (customerID: CustomerID, modelName: string | undefined) =>
    modelName === undefined ? Effect.void : ai.check({ customerID, slot: "Topic", modelName })

  return Detection.of({
    check,
    topics: fn("Detection.topics")(function* ({ customerID, modelName, quotes, ticketMessageID, ...input }) {
      const known = input.topics.map(({ topicID }) => topicID)
      if (!Arr.isNonEmptyReadonlyArray(known) || `${input.subject ?? ""}${input.text}`.trim() === "") {
        yield* check(customerID, modelName)
        return []
      }
      const call = yield* callWith(topicsPrompt, input, {
        customerID,
        ticketMessageID,
        quotes,
        slot: "Topic",
        ...(modelName !== undefined && { modelName })
      })
      const { value } = yield* ai.structured(call, answerOf(known))
      return [...new Set(value.topicIDs)]
    })
  })
})
