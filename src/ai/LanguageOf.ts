import { Context, Effect, Layer, Option, Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { LanguageCode } from "../../schema/LanguageCode.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { languagePrompt } from "./prompts/Language.ts"
import { languageOfPlacePrompt, type PlaceInput } from "./prompts/LanguageOfPlace.ts"
import { callWith } from "./prompts/Prompt.ts"

/** Tells languages: lower-case ISO 639-1 codes, 639-3 where there is no other. */
export class LanguageOf extends Context.Tag("casework/LanguageOf")<
  LanguageOf,
  {
    /** None for a text without a letter: nobody is asked. */
    readonly message: (request: {
      readonly customerID: CustomerID
      readonly ticketMessageID: TicketMessageID
      readonly text: string
    }) => Effect.Effect<Option.Option<string>, BadRequest | BadGateway>
    readonly place: (customerID: CustomerID, place: PlaceInput) => Effect.Effect<string, BadRequest | BadGateway>
  }
>() {
  static readonly layer = Layer.effect(
    LanguageOf,
    Effect.suspend(() => make)
  )
}

const Answer = Schema.Struct({ language: LanguageCode })

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  return LanguageOf.of({
    message: fn("LanguageOf.message")(function* ({ customerID, text, ticketMessageID }) {
      if (!/\p{L}/u.test(text)) return Option.none()
      const call = yield* callWith(languagePrompt, { text }, { customerID, ticketMessageID, slot: "EmailText" })
      return Option.some((yield* ai.structured(call, Answer)).value.language)
    }),

    place: fn("LanguageOf.place")(function* (customerID, place) {
      const call = yield* callWith(languageOfPlacePrompt, place, { customerID, slot: "EmailText" })
      return (yield* ai.structured(call, Answer)).value.language
    })
  })
})
