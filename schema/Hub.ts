import { Schema } from "effect"
import { EmailAddress } from "./EmailAddress.ts"
import { Body, optional, Text, TextUpTo } from "./Fields.ts"
import { CustomerRepID, TicketID, TicketMessageID } from "./Ids.ts"
import { SenderType, TicketMessage } from "./TicketMessages.ts"
import { Ticket } from "./Tickets.ts"

/** The response of `POST /chatHub/negotiate`; version 0 has no connectionToken. */
export class Negotiation extends Schema.Class<Negotiation>("Negotiation")({
  connectionId: Schema.String,
  connectionToken: Schema.optionalWith(Schema.String, { exact: true }),
  negotiateVersion: Schema.Int,
  availableTransports: Schema.Array(
    Schema.Struct({ transport: Schema.Literal("WebSockets"), transferFormats: Schema.Array(Schema.Literal("Text")) })
  )
}) {}

const MessageText = Text.pipe(
  Schema.filter((text) => text.trim() !== "", { message: () => "must not be empty", jsonSchema: { minLength: 1 } })
)

/**
 * `SendMessage`: a visitor's first message, without a ticketID, creates the ticket. The visitor may choose the ticket's
 * token, to find out with `ResumeChat` whether a message arrived when the response was lost.
 */
export const HubSendMessage = Body("HubSendMessage", {
  ticketID: optional(TicketID),
  ticketToken: optional(Schema.UUID),
  message: MessageText,
  pageURL: optional(TextUpTo(4096))
})
export type HubSendMessage = typeof HubSendMessage.Type

export class HubSentMessage extends Schema.Class<HubSentMessage>("HubSentMessage")({
  ticketID: TicketID,
  ticketToken: Schema.UUID,
  messageID: TicketMessageID
}) {}

/** A message as a chat visitor sees it. */
export class VisitorMessage extends Schema.Class<VisitorMessage>("VisitorMessage")({
  messageID: TicketMessageID,
  ticketID: TicketID,
  dateCreated: Schema.DateTimeUtc,
  senderType: SenderType,
  customerRepName: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  htmlBody: Schema.NullOr(Schema.String),
  pageURL: Schema.NullOr(Schema.String),
  hasAttachment: Schema.Boolean
}) {}

/** The response of `ResumeChat`: the last 200 messages of the conversation so far, oldest first. */
export class ResumedChat extends Schema.Class<ResumedChat>("ResumedChat")({
  ticketID: TicketID,
  ticketToken: Schema.UUID,
  isClosed: Schema.Boolean,
  agentName: Schema.NullOr(Schema.String).annotations({ description: "The representative who joined last" }),
  messages: Schema.Array(VisitorMessage)
}) {}

/** The ticket's custom field with the address that a visitor has left. */
export const visitorAddressField = "visitorEmail"

/** `RequestAgent`: a visitor asks for a person instead of automatic answers. */
export const HubRequestAgent = Body("HubRequestAgent", {
  ticketID: optional(TicketID),
  email: optional(EmailAddress).annotations({ description: "Where to reach the visitor later" })
})
export type HubRequestAgent = typeof HubRequestAgent.Type

/** Sent only to representatives, who get the events of all tickets; a visitor has only one ticket. */
const ofTicket = { ticketID: Schema.optionalWith(TicketID, { exact: true }) }

export class AgentJoined extends Schema.Class<AgentJoined>("AgentJoined")({ name: Schema.String, ...ofTicket }) {}

export class Typing extends Schema.Class<Typing>("Typing")({
  from: Schema.String,
  ...ofTicket,
  /** Sent only to representatives, when it is another one who types. */
  customerRepID: Schema.optionalWith(CustomerRepID, { exact: true })
}) {}

/** The events sent to clients, each with the schema of its single argument. */
export const hubEvents = {
  toRepresentatives: {
    MessageReceived: TicketMessage,
    TicketUpdated: Ticket,
    DraftReady: TicketMessage,
    AgentJoined,
    Typing
  },
  toVisitors: { MessageReceived: VisitorMessage, AgentJoined, Typing }
} as const

/** Part of the API's description, because the hub is not an HTTP route. */
export const hubDescription = `**Live events.** \`/chatHub\` speaks the SignalR JSON hub protocol over WebSockets; any SignalR client connects. Representatives send their token as \`access_token\` (or in the Authorization header); chat visitors connect with \`?channelToken=\` of a Chat channel, from a page whose host is in the channel's \`hostnames\`. A message may have up to 32 KB. When a channel is switched off or deleted, its visitors are disconnected. With too many open connections from one address or for one customer, connecting returns 429 with \`Retry-After\`.

| Method | Caller | Result |
|---|---|---|
| \`SendMessage({ ticketID?, ticketToken?, message, pageURL? })\` | both; a representative names the ticket | \`{ ticketID, ticketToken, messageID }\`; a visitor's first message creates the ticket, with the given \`ticketToken\`, a random UUID: if the response is lost, \`ResumeChat\` then tells whether the message arrived |
| \`ResumeChat(ticketToken)\` | visitor, after a reload or reconnect | \`{ ticketID, ticketToken, isClosed, agentName, messages }\`, the last 200 messages as a visitor sees them, oldest first |
| \`RequestAgent({ ticketID?, email? })\` | visitor | escalates the chat; \`{ agentAvailable, customerRepName }\` as for like-dislike |
| \`JoinTicket(ticketID)\`, \`LeaveTicket(ticketID)\` | representative | nothing; \`AgentJoined\` is sent only once per chat and representative |
| \`Typing(ticketID)\` | both | nothing; forwarded at most once a second |

A representative gets \`MessageReceived(TicketMessage)\`, \`TicketUpdated(Ticket)\`, \`DraftReady(TicketMessage)\`, \`AgentJoined({ name, ticketID })\` and \`Typing({ from, ticketID, customerRepID? })\` for all tickets of its customer, except its own typing; \`customerRepID\` is there when another representative types. A visitor gets \`MessageReceived({ messageID, ticketID, dateCreated, senderType, customerRepName, message, htmlBody, pageURL, hasAttachment })\`, \`AgentJoined({ name })\` and \`Typing({ from })\` for its own chat. A very large message is sent without its bodies and screenshot; \`GET /ticketMessages/{id}\` returns them.

The texts of the chat window are at \`GET /api/ChannelTranslations/resolve?token=&lang=\`; a visitor likes or dislikes an answer with \`GET /ticketMessages/{ticketToken}/like-dislike?like=\`.`
