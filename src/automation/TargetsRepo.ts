import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { fromMailbox } from "../ticketMessages/FromMailboxSql.ts"

const Channel = Schema.Struct({ channelID: ChannelID, channelType: ChannelType })
const OfTicket = Schema.Struct({ customerID: CustomerID, ticketID: TicketID })
const OfEither = Schema.Struct({ ...OfTicket.fields, ticketMessageID: Schema.NullOr(TicketMessageID) })

const Restraints = Schema.Struct({
  isSpam: Schema.Boolean,
  /** Whether messages came in, all of them from programs. */
  isPrograms: Schema.Boolean,
  /** How many mails actions sent within the last hour, in the ticket and to its end user. */
  inTicket: Schema.Int,
  toEndUser: Schema.Int
})

/** The tickets and messages that actions apply to. */
export class TargetsRepo extends Context.Tag("casework/TargetsRepo")<
  TargetsRepo,
  {
    /** The channel of the message that the action is about, else of the ticket; none when that is gone. */
    readonly findChannel: (
      customerID: CustomerID,
      about: { readonly ticketID: TicketID; readonly ticketMessageID: TicketMessageID | null }
    ) => Effect.Effect<Option.Option<typeof Channel.Type>>
    /** What limits an action that answers on its own; none when the ticket is gone. */
    readonly findRestraints: (
      customerID: CustomerID,
      ticketID: TicketID
    ) => Effect.Effect<Option.Option<typeof Restraints.Type>>
    /**
     * The last message of an end user in a ticket, excluding automatic ones; an event without a message is about this
     * one.
     */
    readonly findLastInbound: (
      customerID: CustomerID,
      ticketID: TicketID
    ) => Effect.Effect<Option.Option<TicketMessageID>>
  }
>() {
  static readonly layer = Layer.effect(
    TargetsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const findChannel = SqlSchema.findOne({
        Request: OfEither,
        Result: Channel,
        execute: (_) => sql`
          select c.channel_id as "channelID", c.channel_type as "channelType" from ticket t
          left join ticket_message m on m.customer_id = t.customer_id and m.ticket_id = t.ticket_id
            and m.ticket_message_id = ${_.ticketMessageID}
          join channel c on c.customer_id = t.customer_id
            and c.channel_id = case when ${_.ticketMessageID}::int is null then t.channel_id else m.channel_id end
          where t.customer_id = ${_.customerID} and t.ticket_id = ${_.ticketID}`
      })
      const byActions = sql`m.sender_type = 'CustomerRep' and m.customer_rep_id is null
        and m.created_at > now() - interval '1 hour' and not ${fromMailbox(sql)} and not m.is_given_up
        and exists (select from channel c where c.customer_id = m.customer_id
          and c.channel_id = m.channel_id and c.channel_type = 'Email')`
      const findRestraints = SqlSchema.findOne({
        Request: OfTicket,
        Result: Restraints,
        execute: (_) => sql`
          select t.is_spam as "isSpam",
            (select coalesce(bool_and(m.is_automatic), false) from ticket_message m
              where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id
                and m.sender_type = 'EndUser') as "isPrograms",
            (select count(*)::int from ticket_message m
              where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and ${byActions}) as "inTicket",
            (select count(*)::int from ticket o
              join ticket_message m on m.customer_id = o.customer_id and m.ticket_id = o.ticket_id
              where o.customer_id = t.customer_id and o.end_user_id = t.end_user_id
                and o.last_message_at > now() - interval '1 hour' and ${byActions}) as "toEndUser"
          from ticket t where t.customer_id = ${_.customerID} and t.ticket_id = ${_.ticketID}`
      })
      const findLast = SqlSchema.findOne({
        Request: OfTicket,
        Result: Schema.Struct({ ticketMessageID: TicketMessageID }),
        execute: (_) => sql`
          select ticket_message_id as "ticketMessageID" from ticket_message
          where customer_id = ${_.customerID} and ticket_id = ${_.ticketID} and sender_type = 'EndUser'
            and not is_automatic
          order by created_at desc, ticket_message_id desc limit 1`
      })
      return {
        findChannel: (customerID, { ticketID, ticketMessageID }) =>
          findChannel({ customerID, ticketID, ticketMessageID }).pipe(Effect.orDie),
        findRestraints: (customerID, ticketID) => Effect.orDie(findRestraints({ customerID, ticketID })),
        findLastInbound: (customerID, ticketID) =>
          findLast({ customerID, ticketID }).pipe(
            Effect.map(Option.map(({ ticketMessageID }) => ticketMessageID)),
            Effect.orDie
          )
      }
    })
  )
}
