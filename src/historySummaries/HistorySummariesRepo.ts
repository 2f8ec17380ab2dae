import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, TicketID, type TicketMessageID } from "../../schema/Ids.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"

const Kept = Schema.Struct({
  subject: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  /** Null when a message has arrived since. */
  summary: Schema.NullOr(Schema.String)
})

/** Summaries made earlier. */
export class HistorySummariesRepo extends Context.Tag("casework/HistorySummariesRepo")<
  HistorySummariesRepo,
  {
    readonly find: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<Option.Option<typeof Kept.Type>>
    /**
     * Saves the summary up to and including a message, unless a summarised message was deleted, erased or given up
     * meanwhile.
     */
    readonly save: (
      customerID: CustomerID,
      ticketID: TicketID,
      made: { readonly upTo: TicketMessageID; readonly of: ReadonlyArray<TicketMessageID>; readonly summary: string }
    ) => Effect.Effect<void>
    /** Must run in the transaction that gives up one of the ticket's messages, behind the lock of the ticket. */
    readonly forget: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    HistorySummariesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Schema.Struct({ customerID: CustomerID, ticketID: TicketID }),
        Result: Kept,
        execute: (_) => sql`
          select t.subject, t.language, case when t.history_summary_message_id = (
              select max(m.ticket_message_id) from ticket_message m
              where m.customer_id = ${_.customerID} and m.ticket_id = ${_.ticketID} and m.message is not null
                and not m.is_given_up)
            then t.history_summary end as summary
          from ticket t where t.customer_id = ${_.customerID} and t.ticket_id = ${_.ticketID}`
      })
      return {
        find: (customerID, ticketID) => find({ customerID, ticketID }).pipe(Effect.orDie),
        save: (customerID, ticketID, { of, summary, upTo }) =>
          // Deleting a message or giving it up locks its ticket: only with that lock is it certain which messages are left.
          sql`
            select 1 from ticket where customer_id = ${customerID} and ticket_id = ${ticketID} for no key update`.pipe(
            Effect.zipRight(sql`
              update ticket set history_summary = ${summary}, history_summary_message_id = ${upTo}
              where customer_id = ${customerID} and ticket_id = ${ticketID} and ${of.length} = (
                select count(*) from ticket_message m where m.customer_id = ${customerID}
                  and m.ticket_id = ${ticketID} and m.message is not null and not m.is_given_up
                  and ${sql.in("m.ticket_message_id", of)})`),
            inTransaction(sql),
            Effect.asVoid
          ),
        forget: (customerID, ticketID) =>
          sql`
            update ticket set history_summary = null, history_summary_message_id = null
            where customer_id = ${customerID} and ticket_id = ${ticketID}`.pipe(Effect.asVoid, Effect.orDie)
      }
    })
  )
}
