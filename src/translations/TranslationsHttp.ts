import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Translations } from "./Translations.ts"

export const TranslationsHttp = HttpApiBuilder.group(CaseworkApi, "translations", (handlers) =>
  Effect.gen(function* () {
    const translations = yield* Translations
    return handlers
      .handle("translate", ({ payload }) => translations.translate(payload))
      .handle("translateToHtml", ({ payload }) => translations.translateToHtml(payload))
      .handle("detectLanguage", ({ urlParams }) => translations.languageOfPlace(urlParams))
  })
)
