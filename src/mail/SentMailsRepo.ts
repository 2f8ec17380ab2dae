import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChannelID, CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { OutboundMessage } from "../delivery/Delivery.ts"
import type { Unsent } from "../delivery/UnsentDrafts.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

const Answer = Schema.Struct({
  ...Key.fields,
  ticketID: TicketID,
  channelID: ChannelID,
  answersMessageID: Schema.NullOr(TicketMessageID),
  address: Schema.NullOr(Schema.String)
})

const Draft = Schema.Struct({ channelID: ChannelID, draftID: Schema.String })

const SentMail = Schema.Struct({ draftID: Schema.String, mayHaveLeft: Schema.Boolean })

/** Answers on their way through the mail provider. */
export class SentMailsRepo extends Context.Tag("casework/SentMailsRepo")<
  SentMailsRepo,
  {
    readonly find: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<typeof SentMail.Type>>
    /**
     * The provider's mail to reply to: the one that the answered message came as, else the newest mail of the ticket
     * that the recipient wrote or received.
     */
    readonly findOriginal: (customerID: CustomerID, message: OutboundMessage) => Effect.Effect<Option.Option<string>>
    /** Returns whether it did: the answer may have been deleted meanwhile. */
    readonly keepDraft: (
      customerID: CustomerID,
      message: OutboundMessage,
      draft: { readonly draftID: string; readonly internetMessageID: string }
    ) => Effect.Effect<boolean>
    /**
     * Notes that sending begins: from now on only the provider knows whether the mail has left. Returns whether it is
     * still to be sent.
     */
    readonly noteSending: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
    readonly draftsOf: (customerID: CustomerID, unsent: Unsent) => Effect.Effect<ReadonlyArray<typeof Draft.Type>>
    /** Seconds since the provider was last asked to send the draft; none if it never was. */
    readonly secondsSinceSending: (
      customerID: CustomerID,
      channelID: ChannelID,
      draftID: string
    ) => Effect.Effect<Option.Option<number>>
  }
>() {
  static readonly layer = Layer.effect(
    SentMailsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Key,
        Result: SentMail,
        execute: (_) => sql`
          select external_id as "draftID", sending_at is not null as "mayHaveLeft" from mail_message
          where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID} and is_outgoing`
      })
      const findOriginal = SqlSchema.findOne({
        Request: Answer,
        Result: Schema.Struct({ externalID: Schema.String }),
        execute: (_) => sql`
          select k.external_id as "externalID" from ticket_message m
          join mail_message k using (customer_id, ticket_message_id)
          where m.customer_id = ${_.customerID} and m.ticket_id = ${_.ticketID}
            and k.channel_id = ${_.channelID} and not k.is_outgoing
            and (m.ticket_message_id = ${_.answersMessageID}::int
              or m.ticket_message_id < ${_.ticketMessageID} and m.sender_type = 'EndUser'
                and ${_.address}::text = any(k.participants))
          order by m.ticket_message_id is not distinct from ${_.answersMessageID}::int desc, m.ticket_message_id desc
          limit 1`
      })
      // Waits for transactions that hold the ticket: they may be deleting it or the answer.
      const waiting = (customerID: CustomerID, ticketMessageID: TicketMessageID) => sql`
        select m.ticket_message_id from ticket_message m
        join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
        where m.customer_id = ${customerID} and m.ticket_message_id = ${ticketMessageID}
          and m.status in ('Queued', 'Failed') and not m.is_given_up
        for share of t, m`
      const draftsOf = SqlSchema.findAll({
        Request: Schema.Struct({
          customerID: CustomerID,
          ticketIDs: Schema.Array(TicketID),
          ticketMessageIDs: Schema.Array(TicketMessageID)
        }),
        Result: Draft,
        execute: (_) => sql`
          select k.channel_id as "channelID", k.external_id as "draftID" from mail_message k
          where k.customer_id = ${_.customerID} and k.is_outgoing and k.ticket_message_id = any(array(
            select ticket_message_id from ticket_message
            where customer_id = ${_.customerID} and ticket_id = any(${_.ticketIDs}::int[]) and status <> 'Sent'
            union all
            select ticket_message_id from ticket_message
            where customer_id = ${_.customerID} and ticket_message_id = any(${_.ticketMessageIDs}::int[])
              and status <> 'Sent'))`
      })
      const secondsSinceSending = SqlSchema.findOne({
        Request: Schema.Struct({ customerID: CustomerID, ...Draft.fields }),
        Result: Schema.Struct({ seconds: Schema.Number }),
        execute: (_) => sql`
          select extract(epoch from now() - sending_at)::float8 as seconds from mail_message
          where customer_id = ${_.customerID} and channel_id = ${_.channelID} and external_id = ${_.draftID}
            and sending_at is not null`
      })
      const isAny = Effect.map(({ length }: ReadonlyArray<unknown>) => length > 0)
      return {
        find: (customerID, ticketMessageID) => find({ customerID, ticketMessageID }).pipe(Effect.orDie),
        findOriginal: (customerID, message) =>
          findOriginal({ ...message, customerID, address: message.address?.toLowerCase() ?? null }).pipe(
            Effect.map(Option.map(({ externalID }) => externalID)),
            Effect.orDie
          ),
        keepDraft: (customerID, { address, channelID, ticketMessageID }, { draftID, internetMessageID }) =>
          sql`
            insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash,
              participants, ticket_message_id, is_outgoing)
            select ${customerID}, ${channelID}, ${draftID}, ${internetMessageID}, 'answer',
              ${address === null ? [] : [address.toLowerCase()]}::text[], waiting.ticket_message_id, true
            from (${waiting(customerID, ticketMessageID)}) waiting
            on conflict (customer_id, channel_id, internet_message_id, content_hash) do update
              set external_id = excluded.external_id,
                sending_at = case when mail_message.external_id = excluded.external_id then mail_message.sending_at end
            returning 1`.pipe(isAny, Effect.orDie),
        noteSending: (customerID, ticketMessageID) =>
          sql`
            with waiting as (${waiting(customerID, ticketMessageID)})
            update mail_message k set sending_at = now() from waiting
            where k.customer_id = ${customerID} and k.ticket_message_id = waiting.ticket_message_id and k.is_outgoing
            returning 1`.pipe(isAny, Effect.orDie),
        draftsOf: (customerID, unsent) =>
          draftsOf({ customerID, ticketIDs: [], ticketMessageIDs: [], ...unsent }).pipe(Effect.orDie),
        secondsSinceSending: (customerID, channelID, draftID) =>
          secondsSinceSending({ customerID, channelID, draftID }).pipe(
            Effect.map(Option.map(({ seconds }) => seconds)),
            Effect.orDie
          )
      }
    })
  )
}
