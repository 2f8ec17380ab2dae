import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../schema/Ids.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })
const Holder = Schema.Struct({ ticketMessageID: TicketMessageID })
const SentText = Schema.Struct({
  sid: Schema.String,
  /** How long ago it was assigned to the message. */
  secondsAgo: Schema.Number
})

/** Maps messages at the phone provider to ours. */
export class SentTextsRepo extends Context.Tag("casework/SentTextsRepo")<
  SentTextsRepo,
  {
    /** The provider's message that is known to be this message. */
    readonly find: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<typeof SentText.Type>>
    /**
     * Assigns a provider's message to this one; returns false if another message with the same text has got it already.
     */
    readonly claim: (customerID: CustomerID, ticketMessageID: TicketMessageID, sid: string) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    SentTextsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Key,
        Result: SentText,
        execute: (_) => sql`
          select sid, extract(epoch from now() - created_at)::float8 as "secondsAgo" from sent_text
          where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID} limit 1`
      })
      // The update changes nothing: it makes the statement return the message that already has it.
      const claim = SqlSchema.findOne({
        Request: Schema.Struct({ ...Key.fields, sid: Schema.String }),
        Result: Holder,
        execute: (_) => sql`
          insert into sent_text (customer_id, sid, ticket_message_id)
          select customer_id, ${_.sid}, ticket_message_id from ticket_message
          where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID}
          on conflict (customer_id, sid) do update set ticket_message_id = sent_text.ticket_message_id
          returning ticket_message_id as "ticketMessageID"`
      })
      return {
        find: (customerID, ticketMessageID) => find({ customerID, ticketMessageID }).pipe(Effect.orDie),
        claim: (customerID, ticketMessageID, sid) =>
          claim({ customerID, ticketMessageID, sid }).pipe(
            Effect.map(Option.exists((holder) => holder.ticketMessageID === ticketMessageID)),
            Effect.orDie
          )
      }
    })
  )
}
