import { Schema } from "effect"
import { largestBulk } from "./Bulk.ts"
import { CustomFieldsWrite } from "./CustomFields.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { emptyAsNull } from "./EmptyText.ts"
import {
  anyCase,
  Body,
  BodyWithRule,
  changeable,
  clearable,
  Name,
  optional,
  Query,
  QueryBoolean,
  Text,
  TextUpTo
} from "./Fields.ts"
import { HookName } from "./Hooks.ts"
import { ChannelID, CustomerRepID, DocumentID, idFromString, TicketID, TopicID } from "./Ids.ts"
import { Instant } from "./Instant.ts"
import { messagePaging, senderTypes } from "./TicketMessages.ts"
import { longestUid } from "./Uid.ts"

const contents = ["message", "subject", "textBody", "htmlBody", "pageScreenshot"] as const

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

const Address = TextUpTo(320)

/** A point in time with a year of four digits. */
const MessageDate = Instant.pipe(
  Schema.filter(({ epochMillis }) => epochMillis >= Date.UTC(1000, 0) && epochMillis < Date.UTC(10_000, 0), {
    message: () => "must be a date of the years 1000 to 9999",
    jsonSchema: {}
  })
)

export const TicketMessageCreate = BodyWithRule(
  "TicketMessageCreate",
  {
    ticketID: optional(TicketID).annotations({ description: "Appends to this ticket; without it a new one is made" }),
    channelID: optional(ChannelID).annotations({
      description:
        "By which channel it came or goes. Required for a new ticket, except with a phone token; else the ticket's own unless given"
    }),
    senderType: optional(anyCase(senderTypes, "EndUser")),
    customerRepID: optional(CustomerRepID).annotations({
      description:
        "Who of you wrote it, when a representative did: whoever sends it, unless an Admin names another. On the phone it is nobody"
    }),
    status: optional(TextUpTo(100)).annotations({
      description:
        "Sent, for a representative's message that was said elsewhere already: it is stored and not delivered. Anything else is ignored"
    }),
    message: optional(Text).annotations({ examples: ["I lost the key to my flat. What shall I do?"] }),
    subject: optional(TextUpTo(1000)),
    textBody: optional(Text),
    htmlBody: optional(Text).annotations({ description: "Sanitised before it is stored" }),
    preview: optional(TextUpTo(1000)),
    fromAddress: optional(Address),
    fromName: optional(TextUpTo(255)),
    toAddress: optional(TextUpTo(10_000)),
    uid: optional(TextUpTo(longestUid)).annotations({ description: "What the end user is known by" }),
    messageDate: optional(MessageDate),
    pageURL: optional(TextUpTo(4096)),
    pageScreenshot: optional(Text),
    isOpened: optional(Schema.Boolean),
    customFieldsData: optional(CustomFieldsWrite)
  },
  (body) =>
    contents.every((name) => isEmpty(body[name]))
      ? [
          {
            path: ["message"],
            message: "is required, or a subject, textBody, htmlBody or pageScreenshot instead of it"
          }
        ]
      : []
)
export type TicketMessageCreate = typeof TicketMessageCreate.Type

export const TicketMessageUpdate = Body("TicketMessageUpdate", {
  aiReply: clearable(Text).annotations({ description: "The prepared answer; only on an end user's message" }),
  customFieldsData: clearable(CustomFieldsWrite),
  isOpened: changeable(Schema.Boolean)
})
export type TicketMessageUpdate = typeof TicketMessageUpdate.Type

export const TicketMessagesQuery = Query({ ...messagePaging.query, ticketId: idFromString(TicketID) })
export type TicketMessagesQuery = typeof TicketMessagesQuery.Type

export const MessagesOfTicketQuery = Query(messagePaging.query)
export type MessagesOfTicketQuery = typeof MessagesOfTicketQuery.Type

export const CorrectTopics = Body("CorrectTopics", {
  topicIds: Schema.propertySignature(
    Schema.Array(TopicID).pipe(
      Schema.maxItems(largestBulk, { message: () => `must have at most ${largestBulk} items` })
    )
  ).annotations({ description: "Your own topics; an empty list clears them" })
})
export type CorrectTopics = typeof CorrectTopics.Type

export const SendReply = Body("SendReply", {
  modifiedAnswer: optional(Text).annotations({
    description: "Sent instead of the prepared answer, which stays beside it",
    examples: ["Please call our hotline, we open the door for you."]
  })
})
export type SendReply = typeof SendReply.Type

export const EscalateMessage = Body("EscalateMessage", {
  feedbackComment: optional(emptyAsNull(TextUpTo(10_000))).annotations({
    examples: ["The answer names the wrong opening hours."]
  }),
  email: optional(emptyAsNull(EmailAddress)).annotations({
    description: "Who is told; else the default representative"
  })
})
export type EscalateMessage = typeof EscalateMessage.Type

export class Done extends Schema.Class<Done>("Done")({
  message: Schema.String.annotations({ description: "What was done, in words" })
}) {}

export const PromptDocumentsQuery = Query({
  onlyPromptDocuments: changeable(QueryBoolean).annotations({
    description: "true leaves data retrieval documents out; otherwise each is run and its answer is the content"
  }),
  hookName: changeable(HookName).annotations({
    description: "Adds the documents of this hook on the message's channel"
  })
})
export type PromptDocumentsQuery = typeof PromptDocumentsQuery.Type

export class PromptDocument extends Schema.Class<PromptDocument>("PromptDocument")({
  documentID: DocumentID,
  title: Schema.String,
  content: Schema.String.annotations({ description: "With its placeholders filled from the message" }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why a data retrieval brought nothing; the content is empty then"
  })
}) {}

export class PromptDocuments extends Schema.Class<PromptDocuments>("PromptDocuments")({
  promptDocuments: Schema.Array(PromptDocument)
}) {}

export const DetectTopicsQuery = Query({
  modelName: changeable(Name).annotations({ description: "Instead of the customer's model for topics" }),
  executeActions: changeable(QueryBoolean).annotations({
    description: "true starts the actions of the topics and does not wait for them; default false"
  })
})
export type DetectTopicsQuery = typeof DetectTopicsQuery.Type

export const LikeDislikeQuery = Query({ like: QueryBoolean })

export class Feedback extends Schema.Class<Feedback>("Feedback")({
  agentAvailable: Schema.Boolean.annotations({ description: "Whether a representative is connected right now" }),
  customerRepName: Schema.String.annotations({ description: "Who looks after the ticket; may be empty" })
}) {}
