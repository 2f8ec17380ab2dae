import { Schema } from "effect"
import { clip } from "../Clip.ts"
import type { Prompt } from "./Prompt.ts"

const LanguageInput = Schema.Struct({ text: Schema.String })
type LanguageInput = typeof LanguageInput.Type

const shortened = ({ text }: LanguageInput): LanguageInput => ({ text: clip(text, 4_000) })

export const languagePrompt: Prompt<LanguageInput, typeof LanguageInput.Encoded> = {
  purpose: "Language",
  version: "language-1",
  input: LanguageInput,
  shortened,
  render: (input, fence) => ({
    system: `You tell the language that a message is written in. Answer its ISO 639-1 code in lower case, or its ISO 639-3 code where there is no other. Of several languages answer the one that most of the text is written in; names, addresses and quoted terms do not count.

${fence.rule}`,
    user: fence.put("message", shortened(input).text)
  })
}
