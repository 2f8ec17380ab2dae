import { Schema } from "effect"
import { clip } from "../Clip.ts"
import type { Prompt } from "./Prompt.ts"

export const SpamInput = Schema.Struct({
  fromAddress: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  text: Schema.String
})
export type SpamInput = typeof SpamInput.Type

const shortened = ({ fromAddress, subject, text }: SpamInput): SpamInput => ({
  fromAddress: fromAddress === null ? null : clip(fromAddress, 500),
  subject: subject === null ? null : clip(subject, 500),
  text: clip(text, 10_000)
})

export const spamPrompt: Prompt<SpamInput, typeof SpamInput.Encoded> = {
  purpose: "Spam",
  version: "spam-1",
  input: SpamInput,
  shortened,
  render: (input, fence) => {
    const { fromAddress, subject, text } = shortened(input)
    return {
      system: `You decide whether a message to a customer-support team is spam: advertising that nobody asked for, fraud, phishing, chain letters or generated nonsense. A complaint, an angry or an unclear message of a real person is not spam, nor is a message that only mentions money or a link. When in doubt it is not spam. Answer isSpam and, in a few words, the reason.

${fence.rule}`,
      user: [
        ...(fromAddress === null ? [] : [fence.put("from", fromAddress)]),
        ...(subject === null ? [] : [fence.put("subject", subject)]),
        fence.put("message", text)
      ].join("\n\n")
    }
  }
}
