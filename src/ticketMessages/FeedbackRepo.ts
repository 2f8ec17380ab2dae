import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

const Ticket = Schema.Struct({ customerID: CustomerID, ticketID: TicketID, customerRepName: Schema.String })
const Changed = Schema.Struct({
  ticketMessageID: Schema.NullOr(TicketMessageID),
  /** Whether the answer gets this feedback for the first time: changing it back and forth is no news. */
  isFirst: Schema.Boolean
})

export class FeedbackRepo extends Context.Tag("casework/FeedbackRepo")<
  FeedbackRepo,
  {
    readonly find: (ticketToken: string) => Effect.Effect<Option.Option<typeof Ticket.Type>>
    /** Stores the feedback on the ticket and on its last answer. Returns that answer, or none when nothing changed. */
    readonly record: (
      customerID: CustomerID,
      ticketID: TicketID,
      like: boolean
    ) => Effect.Effect<Option.Option<typeof Changed.Type>>
  }
>() {
  static readonly layer = Layer.effect(
    FeedbackRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findOne({
    Request: Schema.String,
    Result: Ticket,
    execute: (ticketToken) => sql`
      /* all customers: the token itself is the credential */
      select t.customer_id as "customerID", t.ticket_id as "ticketID",
        coalesce((
          select coalesce(nullif(r.name, ''), r.username) from customer_rep r
          where r.customer_id = t.customer_id and r.deleted_at is null
            and r.customer_rep_id in (t.customer_rep_id, c.default_customer_rep_id)
          order by r.customer_rep_id is distinct from t.customer_rep_id limit 1), '') as "customerRepName"
      from ticket t
      join customer c on c.customer_id = t.customer_id
      where t.ticket_token = ${ticketToken}::uuid`
  })
  const record = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, ticketID: TicketID, like: Schema.Boolean }),
    Result: Changed,
    execute: (_) => sql`
      with answer as (
        select ticket_message_id, liked from ticket_message
        where customer_id = ${_.customerID} and ticket_id = ${_.ticketID} and sender_type = 'CustomerRep'
          and not is_given_up
        order by created_at desc, ticket_message_id desc limit 1 for no key update),
      on_ticket as (
        update ticket set liked = ${_.like} where customer_id = ${_.customerID} and ticket_id = ${_.ticketID}
          and liked is distinct from ${_.like} returning ticket_id),
      on_answer as (
        update ticket_message m set liked = ${_.like} from answer
        where m.customer_id = ${_.customerID} and m.ticket_message_id = answer.ticket_message_id
          and answer.liked is distinct from ${_.like} returning m.ticket_message_id)
      select (select ticket_message_id from answer) as "ticketMessageID",
        not exists (select from event e where e.customer_id = ${_.customerID} and e.ticket_id = ${_.ticketID}
          and e.kind = 'Feedback' and e.details ->> 'like' = ${String(_.like)}
          and e.ticket_message_id is not distinct from (select ticket_message_id from answer)) as "isFirst"
      where exists (select 1 from on_ticket) or exists (select 1 from on_answer)`
  })

  return FeedbackRepo.of({
    find: (ticketToken) =>
      Schema.is(Schema.UUID)(ticketToken) ? find(ticketToken).pipe(Effect.orDie) : Effect.succeedNone,
    record: (customerID, ticketID, like) => record({ customerID, ticketID, like }).pipe(Effect.orDie)
  })
})
