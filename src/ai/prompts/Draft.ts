import { Schema } from "effect"
import { ChannelType } from "../../../schema/ChannelTypes.ts"
import { clip } from "../Clip.ts"
import { languageName } from "../LanguageNames.ts"
import type { Prompt } from "./Prompt.ts"

const PastMessage = Schema.Struct({ senderType: Schema.Literal("EndUser", "CustomerRep"), text: Schema.String })

/** What the answer may rely on: a static document, or what a data retrieval returned. */
const Knowledge = Schema.Struct({ title: Schema.String, content: Schema.String })

export const DraftInput = Schema.Struct({
  channelType: ChannelType,
  language: Schema.NullOr(Schema.String).annotations({ description: "ISO code; null: the language of the message" }),
  subject: Schema.NullOr(Schema.String),
  text: Schema.String,
  topics: Schema.Array(Schema.String),
  history: Schema.Array(PastMessage).annotations({ description: "Earlier messages of the ticket, oldest first" }),
  documents: Schema.Array(Knowledge).annotations({ description: "The most relevant one first" })
})
export type DraftInput = typeof DraftInput.Type

const manners: Readonly<Record<DraftInput["channelType"], string>> = {
  Email: "It is an e-mail: a greeting, short paragraphs, a closing line.",
  Chat: "It is a live chat: two or three short sentences, no greeting formula, no closing line.",
  Phone: "It is read out on the phone: plain spoken sentences, no lists, no web addresses, no formatting.",
  WhatsApp: "It is a WhatsApp message: friendly and short, at most two short paragraphs, no formatting."
}

const longestMessage = 20_000
const longestTitle = 500
export const longestDocument = 8_000
/** Only this many of the most relevant are given; the ledger records which. */
export const mostDocuments = 12
const longestPast = 2_000
const mostPast = 20

const shortened = (input: DraftInput): DraftInput => ({
  ...input,
  subject: input.subject === null ? null : clip(input.subject, longestTitle),
  text: clip(input.text, longestMessage),
  topics: input.topics.map((topic) => clip(topic, longestPast)),
  history: input.history.slice(-mostPast).map((past) => ({ ...past, text: clip(past.text, longestPast) })),
  documents: input.documents
    .slice(0, mostDocuments)
    .map(({ content, title }) => ({ title: clip(title, longestTitle), content: clip(content, longestDocument) }))
})

export const draftPrompt: Prompt<DraftInput, typeof DraftInput.Encoded> = {
  purpose: "Draft",
  version: "draft-1",
  input: DraftInput,
  shortened,
  render: (input, fence) => {
    const { channelType, documents, history, language, subject, text, topics } = shortened(input)
    return {
      system: `You draft answers for a customer-support team; a person may change them before they are sent. Answer the last message.

${manners[channelType]} Write in ${language === null ? "the language of the message" : languageName(language)}. Leave out any signature: it is added later. Rely on the documents for facts and for the manner of writing; the first is the most relevant. What they do not say you do not know: then say that a colleague will look into it. Promise nothing, name no price and no date that is not in a document. Answer the text of the reply and nothing else.

${fence.rule}`,
      user: [
        ...(documents.length === 0 ? [] : ["Documents:"]),
        ...documents.map(({ content, title }) => fence.put("document", `${title}\n${content}`)),
        ...(topics.length === 0
          ? []
          : ["What the message is about:", fence.put("topics", clip(topics.join("\n"), longestPast))]),
        ...(history.length === 0 ? [] : ["Earlier in this conversation:"]),
        ...history.map(({ senderType, text: past }) =>
          fence.put(senderType === "EndUser" ? "from-the-end-user" : "from-the-team", past)
        ),
        "The message to answer:",
        ...(subject === null ? [] : [fence.put("subject", subject)]),
        fence.put("message", text)
      ].join("\n\n")
    }
  }
}
