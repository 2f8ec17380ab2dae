import { Context, Effect, Layer } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { callWith } from "./prompts/Prompt.ts"
import { type SummaryInput, summaryPrompt } from "./prompts/Summary.ts"

interface SummaryRequest extends SummaryInput {
  readonly customerID: CustomerID
  /** The last message that the summary covers. */
  readonly ticketMessageID?: TicketMessageID
  readonly quotes: ReadonlyArray<TicketMessageID>
}

export class Summaries extends Context.Tag("casework/Summaries")<
  Summaries,
  {
    /** Empty for a conversation without messages, without asking a model. Storing the summary is up to the caller. */
    readonly ofHistory: (request: SummaryRequest) => Effect.Effect<string, BadRequest | BadGateway>
  }
>() {
  static readonly layer = Layer.effect(
    Summaries,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  return Summaries.of({
    ofHistory: fn("Summaries.ofHistory")(function* ({ customerID, quotes, ticketMessageID, ...input }) {
      if (input.messages.length === 0) return ""
      const call = yield* callWith(summaryPrompt, input, {
        customerID,
        quotes,
        slot: "EmailText",
        ...(ticketMessageID !== undefined && { ticketMessageID })
      })
      return (yield* ai.text(call)).value
    })
  })
})
