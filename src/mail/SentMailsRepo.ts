import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { OutboundMessage } from "../delivery/Delivery.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

const SentMail = Schema.Struct({ draftID: Schema.String, mayHaveLeft: Schema.Boolean })

/** Answers on their way through the mail provider. */
export class SentMailsRepo extends Context.Tag("casework/SentMailsRepo")<
  SentMailsRepo,
  {
    readonly find: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<typeof SentMail.Type>>
    /** The mail at the provider that a message came as. */
    readonly findOriginal: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<string>>
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
        Request: Key,
        Result: Schema.Struct({ externalID: Schema.String }),
        execute: (_) => sql`
          select external_id as "externalID" from mail_message
          where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID} and not is_outgoing`
      })
      return {
        find: (customerID, ticketMessageID) => find({ customerID, ticketMessageID }).pipe(Effect.orDie),
        findOriginal: (customerID, ticketMessageID) =>
          findOriginal({ customerID, ticketMessageID }).pipe(
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
