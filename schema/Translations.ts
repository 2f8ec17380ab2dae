import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PhoneContext } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { NotFound } from "./Errors.ts"
import { Body, changeable, hasAtMost, Query, Text, TextUpTo } from "./Fields.ts"
import { IsoLanguageCode } from "./LanguageCode.ts"

const longest = 100_000

const SourceText = Text.pipe(
  Schema.filter((text) => text.trim() !== "" && hasAtMost(text, longest), {
    message: () => `must be 1 to ${longest} characters long and not blank`,
    jsonSchema: { minLength: 1, maxLength: longest },
    arbitrary: () => (fc) => fc.string({ minLength: 1, maxLength: 40 }).map((text) => `x${text}`)
  })
).annotations({ examples: ["Good morning, when is the office open?"] })

export const TranslationRequest = Body("TranslationRequest", {
  sourceText: SourceText,
  targetLang: IsoLanguageCode.annotations({ description: "ISO 639-1 or 639-3 code" })
})
export type TranslationRequest = typeof TranslationRequest.Type

const PlaceName = Text.pipe(
  Schema.filter((text) => text.trim() !== "" && hasAtMost(text, 200), {
    message: () => "must be 1 to 200 characters long",
    jsonSchema: { minLength: 1, maxLength: 200 },
    arbitrary: () => (fc) => fc.constantFrom("Switzerland", "BR", "Japan")
  })
)

export const PlaceQuery = Query({
  country: PlaceName.annotations({ description: "A name or an ISO 3166 code", examples: ["Switzerland"] }),
  state: changeable(TextUpTo(200)),
  city: changeable(TextUpTo(200))
})
export type PlaceQuery = typeof PlaceQuery.Type

const failure =
  "Without an AI key or a model for it, returns 400 and names what is missing. If the provider fails even after a retry, returns 500."

export class TranslationsApi extends HttpApiGroup.make("translations")
  .add(
    HttpApiEndpoint.post("translate", "/api/Translations/translate")
      .setPayload(TranslationRequest)
      .addSuccess(Schema.String.annotations({ description: "The translated text" }))
      .addError(NotFound)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Translate a text",
          description: `Returns the translated text as a JSON string. Plain text only: markup is translated as if it were text. ${failure} Idempotency-Key is ignored.`
        })
      )
  )
  .add(
    HttpApiEndpoint.post("translateToHtml", "/api/Translations/translate-to-html")
      .setPayload(TranslationRequest)
      .addSuccess(Schema.String.annotations({ description: "The translated HTML" }))
      .addError(NotFound)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Translate HTML",
          description: `Returns HTML as a JSON string. Markup in the source is kept and its texts are translated; scripts, styles, event handlers and other active content are removed. Text without markup becomes paragraphs. The content of code and pre is left unchanged. More than 5,000 separate texts (lines, paragraphs, cells) return 400. ${failure} Idempotency-Key is ignored.`
        })
      )
  )
  .add(
    HttpApiEndpoint.get("detectLanguage", "/api/Translations/detect-language-ai")
      .setUrlParams(PlaceQuery)
      .addSuccess(Schema.String.annotations({ description: "A lower-case language code" }))
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "The language of a place",
          description: `Returns, as a JSON string, the code of the language that most people there speak: ISO 639-1, or 639-3 if there is no other. ${failure}`
        })
      )
  )
  .middleware(PhoneContext)
  .annotateContext(
    OpenApi.annotations({
      title: "Translations",
      description: "Translation and language detection by AI. Also open to phone tokens."
    })
  ) {}
