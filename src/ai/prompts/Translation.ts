import { Schema } from "effect"
import { languageName } from "../LanguageNames.ts"
import { asItIs, type Prompt } from "./Prompt.ts"

const TranslationInput = Schema.Struct({ text: Schema.String, targetLang: Schema.String })
type TranslationInput = typeof TranslationInput.Type

export const translationPrompt: Prompt<TranslationInput, typeof TranslationInput.Encoded> = {
  purpose: "Translation",
  version: "translation-1",
  input: TranslationInput,
  shortened: asItIs,
  render: ({ targetLang, text }, fence) => ({
    system: `You translate a text into ${languageName(targetLang)} (${targetLang}). Keep its meaning, its tone, its line breaks, and every name, number, address and placeholder such as {{name}} as it is. What is in that language already stays. Answer the translation and nothing else, without the marks.

${fence.rule}`,
    user: fence.put("text", text, targetLang)
  })
}
