import { Context, Effect, Layer, Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { callWith } from "./prompts/Prompt.ts"
import { type SpamInput, spamPrompt } from "./prompts/Spam.ts"

interface SpamRequest extends SpamInput {
  readonly customerID: CustomerID
  readonly ticketMessageID: TicketMessageID
}

const Verdict = Schema.Struct({ isSpam: Schema.Boolean, reason: Schema.String })
type SpamVerdict = typeof Verdict.Type

export class SpamCheck extends Context.Tag("casework/SpamCheck")<
  SpamCheck,
  { readonly check: (request: SpamRequest) => Effect.Effect<SpamVerdict, BadRequest | BadGateway> }
>() {
  static readonly layer = Layer.effect(
    SpamCheck,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  return SpamCheck.of({
    check: fn("SpamCheck.check")(function* ({ customerID, ticketMessageID, ...input }) {
      if (`${input.subject ?? ""}${input.text}`.trim() === "") return { isSpam: false, reason: "it has no text" }
      const call = yield* callWith(spamPrompt, input, { customerID, ticketMessageID, slot: "Spam" })
      return (yield* ai.structured(call, Verdict)).value
    })
  })
})
