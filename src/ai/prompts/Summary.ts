import { Schema } from "effect"
import { clip } from "../Clip.ts"
import { languageName } from "../LanguageNames.ts"
import type { Prompt } from "./Prompt.ts"

export const SummaryInput = Schema.Struct({
  subject: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String).annotations({ description: "ISO code; null: the language of the messages" }),
  messages: Schema.Array(
    Schema.Struct({
      senderType: Schema.Literal("EndUser", "CustomerRep"),
      sentAt: Schema.String.annotations({ description: "ISO 8601" }),
      text: Schema.String
    })
  ).annotations({ description: "Oldest first" })
})
export type SummaryInput = typeof SummaryInput.Type

const longestMessage = 2_000
const mostMessages = 60

const shortened = ({ language, messages, subject }: SummaryInput): SummaryInput => ({
  language,
  subject: subject === null ? null : clip(subject, 500),
  messages: messages.slice(-mostMessages).map((message) => ({ ...message, text: clip(message.text, longestMessage) }))
})

export const summaryPrompt: Prompt<SummaryInput, typeof SummaryInput.Encoded> = {
  purpose: "Summary",
  version: "summary-1",
  input: SummaryInput,
  shortened,
  render: (input, fence) => {
    const { language, messages, subject } = shortened(input)
    return {
      system: `You sum up a conversation for a representative who takes it over: what the end user wants, what was answered, what is still open. At most five sentences of plain text, in ${language === null ? "the language of the conversation" : languageName(language)}. Add nothing that is not there.

${fence.rule}`,
      user: [
        ...(subject === null ? [] : [fence.put("subject", subject)]),
        ...messages.map(({ senderType, sentAt, text }) =>
          fence.put(senderType === "EndUser" ? "from-the-end-user" : "from-the-team", text, sentAt)
        )
      ].join("\n\n")
    }
  }
}
