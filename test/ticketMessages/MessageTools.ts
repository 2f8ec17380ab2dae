import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { TicketMessageCreate } from "../../schema/TicketMessageBodies.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf } from "../support/TestApp.ts"
import { channelOf } from "../tickets/TicketTools.ts"

/** Creates a message through the API, from an end user on the mail channel unless said otherwise. */
export const newMessage = (
  fields: Partial<TicketMessageCreate> = {},
  username: "acme-admin" | "globex-admin" = "acme-admin"
) =>
  Effect.gen(function* () {
    const { ticketMessagesOnPhone } = yield* clientOf(username)
    const channelID = fields.channelID ?? (yield* channelOf("Email", username === "acme-admin" ? "acme" : "globex"))
    const place = fields.ticketID === undefined ? { channelID } : {}
    return yield* ticketMessagesOnPhone.createTicketMessage({
      payload: { message: "I lost my key", fromAddress: "tenant@mail.example", ...place, ...fields }
    })
  })

export const readMessage = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.getTicketMessage({ path: { id } })
  )

export const messagesOf = (ticketId: TicketID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    ticketMessages.listTicketMessages({ urlParams: { ticketId } })
  ).pipe(Effect.map(({ items }) => items))

/** The newest answer in a ticket, once it has this status. */
export const settledAnswer = (ticketID: TicketID, status: string) =>
  eventually(
    Effect.map(messagesOf(ticketID), (items) => items.filter(({ senderType }) => senderType === "CustomerRep").at(-1)),
    (answer) => answer?.status === status
  ).pipe(Effect.flatMap(Effect.fromNullable))

export const messageEvents = (ticketMessageID: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ kind: string }>`
      select kind from event
      where customer_id = 1 and ticket_message_id = ${ticketMessageID} and automation_run_id is null
      order by event_id`
  ).pipe(Effect.map((rows) => rows.map(({ kind }) => kind)))
