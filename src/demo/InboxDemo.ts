import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import {
  ChannelID,
  type CustomerID,
  CustomerRepID,
  EndUserID,
  type TicketMessageID,
  TopicID
} from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { messageTexts } from "../ticketMessages/MessageText.ts"
import { MessageTopicsRepo } from "../ticketMessages/MessageTopicsRepo.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import type { DemoCustomer } from "./DemoContent.ts"
import { type DemoMessage, type DemoTicket, demoInbox } from "./InboxContent.ts"

const Named = <A, I>(id: Schema.Schema<A, I>) => Schema.Array(Schema.Struct({ id, name: Schema.String }))

/** The ids of the rows that the inbox refers to, by name. */
const findNames = fn("Demo.findNames")(function* (customerID: CustomerID) {
  const sql = yield* SqlClient.SqlClient
  const byName = <A>(rows: ReadonlyArray<{ readonly id: A; readonly name: string }>) =>
    new Map(rows.map(({ id, name }) => [name, id]))
  const [channels, endUsers, topics, reps] = yield* Effect.all([
    sql`select channel_id as id, channel_type as name from channel where customer_id = ${customerID}`.pipe(
      Effect.flatMap(Schema.decodeUnknown(Named(ChannelID)))
    ),
    sql`select end_user_id as id, first_name as name from end_user where customer_id = ${customerID}`.pipe(
      Effect.flatMap(Schema.decodeUnknown(Named(EndUserID)))
    ),
    sql`select topic_id as id, name from topic where customer_id = ${customerID}`.pipe(
      Effect.flatMap(Schema.decodeUnknown(Named(TopicID)))
    ),
    sql`
      select customer_rep_id as id, username as name from customer_rep
      where customer_id = ${customerID} order by customer_rep_id desc`.pipe(
      Effect.flatMap(Schema.decodeUnknown(Named(CustomerRepID)))
    )
  ])
  return { channels: byName(channels), endUsers: byName(endUsers), topics: byName(topics), rep: reps[0]?.id ?? null }
})

type Names = Effect.Effect.Success<ReturnType<typeof findNames>>

const statusOf = (message: DemoMessage, isLast: boolean) => {
  if (message.from === "CustomerRep") return "Sent"
  if (message.comment !== undefined) return "Escalated"
  if (message.draft !== undefined) return "Drafted"
  return isLast ? "Received" : "Replied"
}

const makeTicket = fn("Demo.makeTicket")(function* (customerID: CustomerID, ticket: DemoTicket, names: Names) {
  const sql = yield* SqlClient.SqlClient
  const tickets = yield* TicketsRepo
  const messages = yield* TicketMessagesRepo
  const topics = yield* MessageTopicsRepo
  const channelID = yield* Effect.fromNullable(names.channels.get(ticket.channel))
  const endUserID = yield* Effect.fromNullable(names.endUsers.get(ticket.endUser))
  const ticketID = yield* tickets.insert(customerID, {
    channelID,
    endUserID,
    status: ticket.status,
    subject: ticket.subject,
    customFieldsData: ticket.fields ?? {}
  })
  const ids: Array<TicketMessageID> = []
  for (const [index, message] of ticket.messages.entries()) {
    const isOurs = message.from === "CustomerRep"
    const ticketMessageID = yield* messages.insert(customerID, ticketID, {
      ...messageTexts({ message: message.text }),
      channelID,
      senderType: message.from,
      customerRepID: isOurs ? names.rep : null,
      status: statusOf(message, index === ticket.messages.length - 1),
      subject: ticket.channel === "Email" ? ticket.subject : null,
      fromAddress: null,
      fromName: null,
      toAddress: null,
      uid: null,
      pageURL: null,
      pageScreenshot: null,
      messageDate: null,
      isOpened: true,
      isAutomatic: false,
      answersMessageID: isOurs ? (ids.at(-1) ?? null) : null,
      customFieldsData: {}
    })
    yield* sql`
      update ticket_message set created_at = now() - make_interval(mins => ${message.ago}::int),
        ai_reply = ${message.draft ?? null}, is_escalated = ${message.comment !== undefined},
        ai_feedback_comment = ${message.comment ?? null},
        (from_address, from_name) = (select case when ${isOurs} then null else email end,
          case when ${isOurs} then null else trim(first_name || ' ' || last_name) end
          from end_user where customer_id = ${customerID} and end_user_id = ${endUserID})
      where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}`
    ids.push(ticketMessageID)
  }
  const topicID = names.topics.get(ticket.topic ?? "")
  const [first] = ids
  if (topicID !== undefined && first !== undefined) yield* topics.replace(customerID, first, [topicID])
  yield* sql`
    update ticket set is_spam = ${ticket.isSpam ?? false}, language = ${ticket.language},
      customer_rep_id = ${ticket.isAssigned === true ? names.rep : null},
      (created_at, last_message_at) = (select min(created_at), max(created_at) from ticket_message
        where customer_id = ${customerID} and ticket_id = ${ticketID})
    where customer_id = ${customerID} and ticket_id = ${ticketID}`
})

/** An inbox as a team finds it in the morning: tickets open, waiting, escalated and answered, and one that is spam. */
export const makeInbox = fn("Demo.makeInbox")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const names = yield* findNames(customerID)
  yield* Effect.forEach(demoInbox[customer.name] ?? [], (ticket) => makeTicket(customerID, ticket, names))
})
