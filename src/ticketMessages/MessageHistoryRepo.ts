import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { SenderType } from "../../schema/TicketMessages.ts"

const Past = Schema.Struct({
  ticketMessageID: TicketMessageID,
  senderType: SenderType,
  sentAt: Schema.DateFromSelf,
  text: Schema.String
})
export type PastMessage = typeof Past.Type

/** What was said in a ticket. */
export class MessageHistoryRepo extends Context.Tag("casework/MessageHistoryRepo")<
  MessageHistoryRepo,
  {
    /** The last messages that have a text, oldest first; only those before a given message, if one is given. */
    readonly list: (
      customerID: CustomerID,
      ticketID: TicketID,
      options: { readonly most: number; readonly before?: TicketMessageID }
    ) => Effect.Effect<ReadonlyArray<PastMessage>>
    /** Whether none of them was deleted or erased; while their ticket is locked, none will be. */
    readonly hasAll: (
      customerID: CustomerID,
      ticketMessageIDs: ReadonlyArray<TicketMessageID>
    ) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    MessageHistoryRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newest = SqlSchema.findAll({
        Request: Schema.Struct({
          customerID: CustomerID,
          ticketID: TicketID,
          before: Schema.NullOr(TicketMessageID),
          most: Schema.Int
        }),
        Result: Past,
        execute: (_) => sql`
          select * from (
            select ticket_message_id as "ticketMessageID", sender_type as "senderType",
              coalesce(message_date, created_at) as "sentAt", message as text
            from ticket_message
            where customer_id = ${_.customerID} and ticket_id = ${_.ticketID} and message is not null and not is_given_up
              and (${_.before}::int is null or ticket_message_id < ${_.before}::int)
            order by ticket_message_id desc limit ${_.most}) last
          order by "sentAt" desc, "ticketMessageID" desc`
      })
      return {
        list: (customerID, ticketID, { before, most }) =>
          newest({ customerID, ticketID, before: before ?? null, most }).pipe(
            Effect.map((rows) => rows.toReversed()),
            Effect.orDie
          ),
        hasAll: (customerID, ticketMessageIDs) =>
          sql`
            select 1 from ticket_message where customer_id = ${customerID}
              and ticket_message_id = any(${[...ticketMessageIDs]}::int[]) and message is not null`.pipe(
            Effect.map(({ length }) => length === ticketMessageIDs.length),
            Effect.orDie
          )
      }
    })
  )
}
