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
  ListUpTo,
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
    message: () => "must be a date from the year 1000 to the year 9999",
    jsonSchema: {}
  })
)

export const TicketMessageCreate = BodyWithRule(
  "TicketMessageCreate",
  {
    ticketID: optional(TicketID).annotations({
      description: "Appends to this ticket; without it a new one is created"
    }),
    channelID: optional(ChannelID).annotations({
      description:
        "The channel on which it came or is sent. Required for a new ticket, except with a phone token; otherwise defaults to the ticket's channel"
    }),
    senderType: optional(anyCase(senderTypes, "EndUser")),
    customerRepID: optional(CustomerRepID).annotations({
      description:
        "The representative who wrote it: the caller, unless an Admin names another one. With a phone token there is none"
    }),
    status: optional(TextUpTo(100)).annotations({
      description:
        "Sent, for a representative's message that was already delivered elsewhere: it is stored but not delivered. Anything else is ignored"
    }),
    message: optional(Text).annotations({ examples: ["I lost the key to my flat. What shall I do?"] }),
    subject: optional(TextUpTo(1000)),
    textBody: optional(Text),
    htmlBody: optional(Text).annotations({ description: "Sanitised before storing" }),
    preview: optional(TextUpTo(1000)),
    fromAddress: optional(Address),
    fromName: optional(TextUpTo(255)),
    toAddress: optional(TextUpTo(10_000)),
    uid: optional(TextUpTo(longestUid)).annotations({ description: "The UID by which the end user is known" }),
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
            message: "is required unless subject, textBody, htmlBody or pageScreenshot is given"
          }
        ]
      : []
)
export type TicketMessageCreate = typeof TicketMessageCreate.Type

export const TicketMessageUpdate = Body("TicketMessageUpdate", {
  aiReply: clearable(emptyAsNull(Text)).annotations({
    description: "The prepared answer; only on an end user's message. A blank one clears it"
  }),
  customFieldsData: clearable(CustomFieldsWrite),
  isOpened: changeable(Schema.Boolean)
})
export type TicketMessageUpdate = typeof TicketMessageUpdate.Type

export const TicketMessagesQuery = Query({ ...messagePaging.query, ticketId: idFromString(TicketID) })
export type TicketMessagesQuery = typeof TicketMessagesQuery.Type

export const MessagesOfTicketQuery = Query(messagePaging.query)
export type MessagesOfTicketQuery = typeof MessagesOfTicketQuery.Type

export const CorrectTopics = Body("CorrectTopics", {
  topicIds: Schema.propertySignature(ListUpTo(TopicID, largestBulk)).annotations({
    description: "Your own topics; an empty list clears them"
  })
})
export type CorrectTopics = typeof CorrectTopics.Type

export const SendReply = Body("SendReply", {
  modifiedAnswer: optional(Text).annotations({
    description: "Sent instead of the prepared answer, which is kept as well",
    examples: ["Please call our hotline, we open the door for you."]
  })
})
export type SendReply = typeof SendReply.Type

export const EscalateMessage = Body("EscalateMessage", {
  feedbackComment: optional(emptyAsNull(TextUpTo(10_000))).annotations({
    examples: ["The answer names the wrong opening hours."]
  }),
  email: optional(emptyAsNull(EmailAddress)).annotations({
    description: "Who is notified; by default the default representative"
  })
})
export type EscalateMessage = typeof EscalateMessage.Type

export class Done extends Schema.Class<Done>("Done")({
  message: Schema.String.annotations({ description: "A description of what was done" })
}) {}

export const PromptDocumentsQuery = Query({
  onlyPromptDocuments: changeable(QueryBoolean).annotations({
    description: "true omits data retrieval documents; otherwise each is run and its response becomes the content"
  }),
  hookName: changeable(HookName).annotations({
    description: "Adds the documents of this hook on the message's channel"
  })
})
export type PromptDocumentsQuery = typeof PromptDocumentsQuery.Type

export class PromptDocument extends Schema.Class<PromptDocument>("PromptDocument")({
  documentID: DocumentID,
  title: Schema.String,
  content: Schema.String.annotations({ description: "With placeholders filled from the message" }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why a data retrieval failed; the content is then empty"
  })
}) {}

export class PromptDocuments extends Schema.Class<PromptDocuments>("PromptDocuments")({
  promptDocuments: Schema.Array(PromptDocument)
}) {}

export const DetectTopicsQuery = Query({
  modelName: changeable(Name).annotations({ description: "Used instead of the customer's model for topics" }),
  executeActions: changeable(QueryBoolean).annotations({
    description: "true starts the actions of the topics without waiting for them; default false"
  })
})
export type DetectTopicsQuery = typeof DetectTopicsQuery.Type

export const LikeDislikeQuery = Query({ like: QueryBoolean })

export class Feedback extends Schema.Class<Feedback>("Feedback")({
  agentAvailable: Schema.Boolean.annotations({ description: "Whether a representative is connected right now" }),
  customerRepName: Schema.String.annotations({ description: "Who is responsible for the ticket; may be empty" })
}) {}
