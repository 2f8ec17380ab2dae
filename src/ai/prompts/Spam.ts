import { Schema } from "effect"
import { clip } from "../Clip.ts"
import type { Prompt } from "./Prompt.ts"

export const SpamInput = Schema.Struct({
  fromAddress: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  text: Schema.String
})
export type SpamInput = typeof SpamInput.Type

export const spamPrompt: Prompt<SpamInput, typeof SpamInput.Encoded> = {
  purpose: "Spam",
  version: "spam-1",
  input: SpamInput,
  render: ({ fromAddress, subject, text }, fence) => ({
    system: `You decide whether a message to a customer-support team is spam: advertising that nobody asked for, fraud, phishing, chain letters or generated nonsense. A complaint, an angry or an unclear message of a real person is not spam, nor is a message that only mentions money or a link. When in doubt it is not spam. Answer isSpam and, in a few words, the reason.

${fence.rule}`,
    user: [
      ...(fromAddress === null ? [] : [fence.put("from", clip(fromAddress, 500))]),
      ...(subject === null ? [] : [fence.put("subject", clip(subject, 500))]),
      fence.put("message", clip(text, 10_000))
    ].join("\n\n")
  })
}
