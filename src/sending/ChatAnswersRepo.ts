import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { visitorAddressField } from "../../schema/Hub.ts"
import { CustomerID, CustomerRepID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

const Answer = Schema.Struct({
  ticketID: TicketID,
  language: Schema.NullOr(Schema.String),
  customerRepID: Schema.NullOr(CustomerRepID),
  /** The address that the visitor has left. */
  address: Schema.String,
  secondsAgo: Schema.Number
})

const Said = Schema.Struct({
  ticketMessageID: TicketMessageID,
  by: Schema.Literal("visitor", "person", "automation"),
  text: Schema.String,
  at: Schema.DateFromSelf,
  isDue: Schema.Boolean,
  job: Schema.NullOr(Schema.String)
})

/** Answers in chats whose visitors have left an address. */
export class ChatAnswersRepo extends Context.Tag("casework/ChatAnswersRepo")<
  ChatAnswersRepo,
  {
    /** A person's answer; none if the visitor has left no address, or the ticket is spam. */
    readonly find: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<typeof Answer.Type>>
    /** The last messages of a chat, in order, without answers that did not go through. */
    readonly said: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<ReadonlyArray<typeof Said.Type>>
    /** Notes that an answer is to be mailed. */
    readonly markDue: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<void>
    /** Notes which job mails these answers. */
    readonly take: (
      customerID: CustomerID,
      ticketMessageIDs: ReadonlyArray<TicketMessageID>,
      jobID: string
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    ChatAnswersRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Key,
        Result: Answer,
        execute: (_) => sql`
          select m.ticket_id as "ticketID", t.language,
            m.customer_rep_id as "customerRepID", t.custom_fields ->> ${visitorAddressField} as address,
            extract(epoch from now() - m.created_at)::float8 as "secondsAgo"
          from ticket_message m
          join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
          where m.customer_id = ${_.customerID} and m.ticket_message_id = ${_.ticketMessageID}
            and m.sender_type = 'CustomerRep' and m.customer_rep_id is not null and not t.is_spam
            and t.custom_fields ->> ${visitorAddressField} is not null`
      })
      const said = SqlSchema.findAll({
        Request: Schema.Struct({ customerID: CustomerID, ticketID: TicketID }),
        Result: Said,
        execute: (_) => sql`
          select * from (
            select ticket_message_id as "ticketMessageID", coalesce(message, '') as text, created_at as at,
              case when sender_type = 'EndUser' then 'visitor' when customer_rep_id is null then 'automation'
                else 'person' end as by, is_visitor_mail_due as "isDue", visitor_mail_job as job
            from ticket_message
            where customer_id = ${_.customerID} and ticket_id = ${_.ticketID}
              and (sender_type = 'EndUser' or status <> 'Failed')
            order by created_at desc, ticket_message_id desc limit 200) last
          order by at, "ticketMessageID"`
      })
      return {
        find: (customerID, ticketMessageID) => find({ customerID, ticketMessageID }).pipe(Effect.orDie),
        said: (customerID, ticketID) => said({ customerID, ticketID }).pipe(Effect.orDie),
        markDue: (customerID, ticketMessageID) =>
          sql`
            update ticket_message set is_visitor_mail_due = true
            where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        take: (customerID, ticketMessageIDs, jobID) =>
          sql`
            update ticket_message set visitor_mail_job = ${jobID}::uuid
            where customer_id = ${customerID} and ticket_message_id = any(${[...ticketMessageIDs]}::int[])`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      }
    })
  )
}
