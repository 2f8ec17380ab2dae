import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChannelID, CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { OutboundMessage } from "../delivery/Delivery.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

const Answer = Schema.Struct({
  ...Key.fields,
  ticketID: TicketID,
  channelID: ChannelID,
  answersMessageID: Schema.NullOr(TicketMessageID),
  address: Schema.NullOr(Schema.String)
})

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
     * The mail at the provider that one is the answer to: the one that the message it answers came as, else the newest
     * of the ticket that its recipient wrote or got.
     */
    readonly findOriginal: (customerID: CustomerID, message: OutboundMessage) => Effect.Effect<Option.Option<string>>
    readonly keepDraft: (
      customerID: CustomerID,
      message: OutboundMessage,
      draft: { readonly draftID: string; readonly internetMessageID: string }
    ) => Effect.Effect<void>
    /** From now on nobody knows without asking whether it has left. */
    readonly noteSending: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<void>
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
            values (${customerID}, ${channelID}, ${draftID}, ${internetMessageID}, 'answer',
              ${address === null ? [] : [address.toLowerCase()]}::text[], ${ticketMessageID}, true)
            on conflict (customer_id, channel_id, internet_message_id, content_hash) do update
              set external_id = excluded.external_id, sending_at = null`.pipe(Effect.asVoid, Effect.orDie),
        noteSending: (customerID, ticketMessageID) =>
          sql`
            update mail_message set sending_at = now()
            where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID} and is_outgoing`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      }
    })
  )
}
