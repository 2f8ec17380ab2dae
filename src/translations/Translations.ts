import { Context, Effect, Layer, Schema } from "effect"
import { CurrentCaller } from "../../schema/Authentication.ts"
import { type BadGateway, BadRequest, InternalServerError, NotFound } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import type { PlaceQuery, TranslationRequest } from "../../schema/Translations.ts"
import { AiProvider } from "../ai/AiProvider.ts"
import { LanguageOf } from "../ai/LanguageOf.ts"
import { callWith } from "../ai/prompts/Prompt.ts"
import { translationPrompt } from "../ai/prompts/Translation.ts"
import { translationHtmlPrompt } from "../ai/prompts/TranslationHtml.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { inPlaceOf } from "./Around.ts"
import { batches } from "./Batches.ts"
import { htmlTexts } from "./HtmlTexts.ts"
import { piecesOf } from "./Pieces.ts"

type Refusal = BadRequest | NotFound | InternalServerError

export class Translations extends Context.Tag("casework/Translations")<
  Translations,
  {
    readonly translate: (request: TranslationRequest) => Effect.Effect<string, Refusal, CurrentCaller>
    readonly translateToHtml: (request: TranslationRequest) => Effect.Effect<string, Refusal, CurrentCaller>
    readonly languageOfPlace: (place: PlaceQuery) => Effect.Effect<string, Refusal, CurrentCaller>
  }
>() {
  static readonly layer = Layer.effect(
    Translations,
    Effect.suspend(() => make)
  )
}

const textsAtOnce = 200
const charactersAtOnce = 8_000
const callsAtOnce = 3
// Even the longest allowed page has far fewer texts, unless it was built to have many: every 200 texts cost a call.
const mostTexts = 5_000

/** Requires as many texts as were sent: one more or less would put every later text in the wrong place. */
const answerOf = (count: number) => Schema.Struct({ texts: Schema.Array(Schema.String).pipe(Schema.itemsCount(count)) })

/** These routes respond with 500 where other routes respond with 502. */
const asFault = ({ message }: BadGateway) => Effect.fail(new InternalServerError({ message }))

const given = (text: string | undefined) => (text === undefined || text.trim() === "" ? null : text.trim())

const make = Effect.gen(function* () {
  const ai = yield* AiProvider
  const languages = yield* LanguageOf
  const customers = yield* CustomerProfileRepo

  const ownCustomer = Effect.gen(function* () {
    const { customerID } = yield* CurrentCaller
    return (yield* customers.exists(customerID)) ? customerID : yield* NotFound.of("The customer no longer exists.")
  })

  const translateText = (customerID: CustomerID, targetLang: string, piece: string) =>
    Effect.gen(function* () {
      if (piece.trim() === "") return piece
      const input = { text: piece.trim(), targetLang }
      const call = yield* callWith(translationPrompt, input, { customerID, slot: "EmailText" })
      return inPlaceOf(piece, (yield* ai.text(call)).value)
    })

  const translateTexts = (customerID: CustomerID, targetLang: string, texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const call = yield* callWith(translationHtmlPrompt, { texts, targetLang }, { customerID, slot: "EmailText" })
      return (yield* ai.structured(call, answerOf(texts.length))).value.texts
    })

  return Translations.of({
    translate: fn("Translations.translate")(
      function* ({ sourceText, targetLang }) {
        const customerID = yield* ownCustomer
        const translated = yield* Effect.forEach(
          piecesOf(sourceText, charactersAtOnce),
          (piece) => translateText(customerID, targetLang, piece),
          { concurrency: callsAtOnce }
        )
        return translated.join("").trim()
      },
      Effect.catchTag("BadGateway", asFault)
    ),

    translateToHtml: fn("Translations.translateToHtml")(
      function* ({ sourceText, targetLang }) {
        const customerID = yield* ownCustomer
        const { texts, withTexts } = htmlTexts(sourceText, charactersAtOnce)
        if (texts.length > mostTexts) {
          return yield* BadRequest.at(
            "sourceText",
            `must have at most ${mostTexts} separate texts (lines, paragraphs, cells), but has ${texts.length}; send it in parts`
          )
        }
        const translated = yield* Effect.forEach(
          batches(texts, textsAtOnce, charactersAtOnce),
          (batch) => translateTexts(customerID, targetLang, batch),
          { concurrency: callsAtOnce }
        )
        return withTexts(translated.flat())
      },
      Effect.catchTag("BadGateway", asFault)
    ),

    languageOfPlace: fn("Translations.languageOfPlace")(
      function* ({ city, country, state }) {
        const customerID = yield* ownCustomer
        return yield* languages.place(customerID, { country: country.trim(), state: given(state), city: given(city) })
      },
      Effect.catchTag("BadGateway", asFault)
    )
  })
})
