import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, CustomerRepID, TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })
const Topic = Schema.Struct({ topicID: TopicID, name: Schema.String })
const Correction = Schema.Struct({
  ...Key.fields,
  customerRepID: Schema.NullOr(CustomerRepID),
  before: Schema.Array(Schema.String),
  after: Schema.Array(Schema.String)
})

/** The topics of messages, and what people changed about them. */
export class MessageTopicsRepo extends Context.Tag("casework/MessageTopicsRepo")<
  MessageTopicsRepo,
  {
    readonly list: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<typeof Topic.Type>>
    /** Afterwards the message has these topics and no others. */
    readonly replace: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      topicIDs: ReadonlyArray<TopicID>
    ) => Effect.Effect<void>
    readonly recordCorrection: (correction: typeof Correction.Type) => Effect.Effect<void>
    /** Whether a person decided on the topics: then no detection may change them. */
    readonly isCorrected: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    MessageTopicsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const list = SqlSchema.findAll({
    Request: Key,
    Result: Topic,
    execute: (_) => sql`
      select topic.topic_id as "topicID", topic.name from ticket_message_topic x
      join topic on topic.customer_id = x.customer_id and topic.topic_id = x.topic_id
      where x.customer_id = ${_.customerID} and x.ticket_message_id = ${_.ticketMessageID}
      order by x.ticket_message_topic_id`
  })
  const recordCorrection = SqlSchema.void({
    Request: Correction,
    execute: (_) => sql`
      insert into topic_correction (customer_id, ticket_message_id, customer_rep_id, topics_before, topics_after)
      values (${_.customerID}, ${_.ticketMessageID}, ${_.customerRepID}, ${[..._.before]}::text[],
        ${[..._.after]}::text[])`
  })

  return MessageTopicsRepo.of({
    list: (customerID, ticketMessageID) => list({ customerID, ticketMessageID }).pipe(Effect.orDie),
    replace: fn("MessageTopicsRepo.replace")(function* (customerID, ticketMessageID, topicIDs) {
      const wanted = [...new Set(topicIDs)]
      yield* sql`
        delete from ticket_message_topic where customer_id = ${customerID}
          and ticket_message_id = ${ticketMessageID} and topic_id <> all(${wanted}::int[])`
      yield* sql`
        insert into ticket_message_topic (customer_id, ticket_id, ticket_message_id, topic_id)
        select m.customer_id, m.ticket_id, m.ticket_message_id, n.topic_id
        from ticket_message m, unnest(${wanted}::int[]) with ordinality as n (topic_id, place)
        where m.customer_id = ${customerID} and m.ticket_message_id = ${ticketMessageID}
        order by n.place on conflict do nothing`
    }, Effect.orDie),
    recordCorrection: (correction) => recordCorrection(correction).pipe(Effect.orDie),
    isCorrected: (customerID, ticketMessageID) =>
      sql`
        select 1 from topic_correction
        where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID} limit 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      )
  })
})
