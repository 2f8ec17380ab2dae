import { Context, Effect, Layer, Option, Schema } from "effect"
import type { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { LanguageCode } from "../../schema/LanguageCode.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiProvider } from "./AiProvider.ts"
import { languagePrompt } from "./prompts/Language.ts"
import { languageOfPlacePrompt, type PlaceInput } from "./prompts/LanguageOfPlace.ts"
import { callWith } from "./prompts/Prompt.ts"

/** Detects languages: lower-case ISO 639-1 codes, or 639-3 where there is no shorter one. */
export class LanguageOf extends Context.Tag("casework/LanguageOf")<
  LanguageOf,
  {
    /**
     * None for a text without a letter, without asking a model. None also when the model cannot tell: nothing depends
     * on it.
     */
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

/** Models often add the region: "pt-BR" becomes "pt". */
const baseOf = (tag: string) => tag.trim().toLowerCase().split(/[-_]/, 1).join("")

const Answer = Schema.Struct({
  language: Schema.transform(Schema.String, LanguageCode, { strict: true, decode: baseOf, encode: (code) => code })
})

/** Codes for an undetermined language, or for none in particular. */
const unknown = new Set(["und", "mul", "mis", "zxx"])

const AnswerOrNone = Schema.Struct({
  language: Schema.transform(Schema.String, Schema.NullOr(LanguageCode), {
    strict: true,
    decode: (tag) => (unknown.has(baseOf(tag)) ? null : baseOf(tag)),
    encode: (code) => code ?? "und"
  })
})

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  return LanguageOf.of({
    message: fn("LanguageOf.message")(function* ({ customerID, text, ticketMessageID }) {
      if (!/\p{L}/u.test(text)) return Option.none()
      const call = yield* callWith(languagePrompt, { text }, { customerID, ticketMessageID, slot: "EmailText" })
      const answer = yield* ai.structuredIfUsable(call, AnswerOrNone)
      return Option.flatMapNullable(answer, ({ value }) => value.language)
    }),

    place: fn("LanguageOf.place")(function* (customerID, place) {
      const call = yield* callWith(languageOfPlacePrompt, place, { customerID, slot: "EmailText" })
      return (yield* ai.structured(call, Answer)).value.language
    })
  })
})
