import { Schema } from "effect"
import { CustomFields } from "./CustomFields.ts"
import { ActionID, ChannelID, CustomerRepID, TicketID, TicketMessageID, TicketMessageTopicID, TopicID } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"

export const senderTypes = ["EndUser", "CustomerRep"] as const

export const SenderType = Schema.Literal(...senderTypes).annotations({ identifier: "SenderType" })
export type SenderType = typeof SenderType.Type

export const MessageStatus = Schema.Literal(
  "Received",
  "Processing",
  "Drafted",
  "Replied",
  "Escalated",
  "Spam",
  "Failed",
  "Queued",
  "Sent"
).annotations({
  identifier: "MessageStatus",
  description:
    "For an end user's message: Received, Processing, Drafted, Replied, Escalated, Spam or Failed. For a representative's: Queued, Sent or Failed."
})
export type MessageStatus = typeof MessageStatus.Type

export class MessageTopic extends Schema.Class<MessageTopic>("MessageTopic")({
  ticketMessageTopicID: TicketMessageTopicID,
  topicID: TopicID,
  topicName: Schema.String
}) {}

/** An action that ran, or will run, because of a message. */
export class MessageAction extends Schema.Class<MessageAction>("MessageAction")({
  actionID: Schema.NullOr(ActionID),
  name: Schema.String,
  operation: Schema.String,
  hookName: Schema.NullOr(Schema.String),
  topicID: Schema.NullOr(TopicID),
  status: Schema.Literal("Waiting", "Done", "Failed", "Skipped"),
  error: Schema.NullOr(Schema.String),
  dateRun: Schema.NullOr(Schema.DateTimeUtc)
}) {}

const text = Schema.NullOr(Schema.String)

export class TicketMessage extends Schema.Class<TicketMessage>("TicketMessage")({
  messageID: TicketMessageID,
  ticketID: TicketID,
  channelID: ChannelID,
  dateCreated: Schema.DateTimeUtc,
  messageDate: Schema.NullOr(Schema.DateTimeUtc).annotations({ description: "When it was written, if known" }),
  senderType: SenderType,
  customerRepID: Schema.NullOr(CustomerRepID),
  customerRepName: text,
  status: MessageStatus,
  subject: text,
  message: text.annotations({ description: "Plain text" }),
  preview: text.annotations({ description: "The beginning of the text, on one line" }),
  htmlBody: text.annotations({ description: "Sanitised: without scripts, forms and remote styles" }),
  textBody: text,
  fromAddress: text,
  fromName: text,
  toAddress: text,
  uid: text.annotations({ description: "The UID by which the end user is known" }),
  pageURL: text,
  pageScreenshot: text,
  isOpened: Schema.Boolean,
  isEscalated: Schema.Boolean,
  hasAttachment: Schema.Boolean,
  aI_FeedbackComment: text.annotations({ description: "The comment given when it was escalated" }),
  aiReply: text.annotations({ description: "The prepared answer to an end user's message" }),
  topics: Schema.Array(MessageTopic),
  customFieldsData: CustomFields,
  actions: Schema.Array(MessageAction)
}) {}

export const messagePaging = paging({
  sortable: [
    "messageID",
    "ticketID",
    "channelID",
    "dateCreated",
    "messageDate",
    "senderType",
    "customerRepID",
    "customerRepName",
    "status",
    "subject",
    "message",
    "preview",
    "htmlBody",
    "textBody",
    "fromAddress",
    "fromName",
    "toAddress",
    "uid",
    "pageURL",
    "pageScreenshot",
    "isOpened",
    "isEscalated",
    "hasAttachment",
    "aI_FeedbackComment",
    "aiReply",
    "topics",
    "customFieldsData",
    "actions"
  ],
  sortBy: "dateCreated"
})

export const TicketMessagePage = Page("TicketMessagePage", TicketMessage)
export type TicketMessagePage = typeof TicketMessagePage.Type
