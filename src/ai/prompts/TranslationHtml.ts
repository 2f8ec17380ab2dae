import { Schema } from "effect"
import { languageName } from "../LanguageNames.ts"
import { asItIs, type Prompt } from "./Prompt.ts"

const TranslationHtmlInput = Schema.Struct({ texts: Schema.Array(Schema.String), targetLang: Schema.String })
type TranslationHtmlInput = typeof TranslationHtmlInput.Type

export const translationHtmlPrompt: Prompt<TranslationHtmlInput, typeof TranslationHtmlInput.Encoded> = {
  purpose: "TranslationHtml",
  version: "translation-html-1",
  input: TranslationHtmlInput,
  shortened: asItIs,
  render: ({ targetLang, texts }, fence) => ({
    system: `You translate the texts of a page into ${languageName(targetLang)} (${targetLang}). They are numbered, belong together and stand in the order of the page. Answer as many texts as there are, in the same order, one for one: a sentence that is spread over several texts stays spread over as many. Keep every name, number, address and placeholder such as {{name}} as it is. Write plain text without markup.

${fence.rule}`,
    user: texts.map((text, index) => fence.put("text", text, `${index + 1} ${targetLang}`)).join("\n\n")
  })
}
