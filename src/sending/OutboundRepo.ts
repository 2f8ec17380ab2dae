import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID, CustomerRepID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { OutboundMessage } from "../delivery/Delivery.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

const Outbound = Schema.Struct({
  ticketMessageID: TicketMessageID,
  ticketID: TicketID,
  ticketToken: Schema.String,
  channelID: ChannelID,
  channelType: ChannelType,
  customerRepID: Schema.NullOr(CustomerRepID),
  createdAt: Schema.DateFromSelf,
  address: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  isReply: Schema.Boolean,
  text: Schema.String,
  html: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  answersMessageID: Schema.NullOr(TicketMessageID)
})

/** Messages on their way out. */
export class OutboundRepo extends Context.Tag("casework/OutboundRepo")<
  OutboundRepo,
  {
    /** A message that still waits to be delivered. */
    readonly findWaiting: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<OutboundMessage>>
  }
>() {
  static readonly layer = Layer.effect(
    OutboundRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const findWaiting = SqlSchema.findOne({
        Request: Key,
        Result: Outbound,
        execute: (_) => sql`
          select m.ticket_message_id as "ticketMessageID", m.ticket_id as "ticketID",
            t.ticket_token as "ticketToken", m.channel_id as "channelID", c.channel_type as "channelType",
            m.customer_rep_id as "customerRepID", m.created_at as "createdAt", m.to_address as address,
            coalesce(m.subject, t.subject) as subject, exists (
              select from ticket_message earlier
              where earlier.customer_id = m.customer_id and earlier.ticket_id = m.ticket_id
                and earlier.ticket_message_id < m.ticket_message_id) as "isReply",
            coalesce(m.message, '') as text, m.html_body as html, t.language, m.answers_message_id as "answersMessageID"
          from ticket_message m
          join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
          join channel c on c.customer_id = m.customer_id and c.channel_id = m.channel_id
          where m.customer_id = ${_.customerID} and m.ticket_message_id = ${_.ticketMessageID}
            and m.sender_type = 'CustomerRep' and m.status in ('Queued', 'Failed') and not m.is_given_up`
      })
      return {
        findWaiting: (customerID, ticketMessageID) => findWaiting({ customerID, ticketMessageID }).pipe(Effect.orDie)
      }
    })
  )
}
