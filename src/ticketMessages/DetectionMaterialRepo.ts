import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, TicketMessageID, TopicID } from "../../schema/Ids.ts"

const Topic = Schema.Struct({ topicID: TopicID, name: Schema.String, description: Schema.NullOr(Schema.String) })

const PageOfTopic = Schema.Struct({ topicID: TopicID, pageUrl: Schema.String, context: Schema.NullOr(Schema.String) })

const Correction = Schema.Struct({
  ticketMessageID: TicketMessageID,
  text: Schema.String,
  topics: Schema.Array(Schema.String)
})

/** What topic detection works with. */
export class DetectionMaterialRepo extends Context.Tag("casework/DetectionMaterialRepo")<
  DetectionMaterialRepo,
  {
    /** All topics of the customer. */
    readonly topics: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<typeof Topic.Type>>
    readonly pages: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<typeof PageOfTopic.Type>>
    /** The latest corrections that people made to other messages, newest first; only the last one of each message. */
    readonly corrections: (
      customerID: CustomerID,
      except: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<typeof Correction.Type>>
    /** Returns the given topics that still exist; they cannot be deleted until the transaction ends. */
    readonly keep: (customerID: CustomerID, topicIDs: ReadonlyArray<TopicID>) => Effect.Effect<ReadonlyArray<TopicID>>
  }
>() {
  static readonly layer = Layer.effect(
    DetectionMaterialRepo,
    Effect.suspend(() => make)
  )
}

const mostCorrections = 20

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const topics = SqlSchema.findAll({
    Request: CustomerID,
    Result: Topic,
    execute: (customerID) => sql`
      select topic_id as "topicID", name, description from topic where customer_id = ${customerID} order by topic_id`
  })
  const pages = SqlSchema.findAll({
    Request: CustomerID,
    Result: PageOfTopic,
    execute: (customerID) => sql`
      select topic_id as "topicID", page_url as "pageUrl", context from page_topic_mapping
      where customer_id = ${customerID} order by page_topic_mapping_id`
  })
  const corrections = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, except: TicketMessageID }),
    Result: Correction,
    execute: (_) => sql`
      select m.ticket_message_id as "ticketMessageID", m.message as text, c.topics_after as topics from topic_correction c
      join ticket_message m on m.customer_id = c.customer_id and m.ticket_message_id = c.ticket_message_id
      where c.customer_id = ${_.customerID} and c.ticket_message_id <> ${_.except} and m.message is not null
        and not exists (
          select 1 from topic_correction later where later.customer_id = ${_.customerID}
            and later.ticket_message_id = c.ticket_message_id
            and later.topic_correction_id > c.topic_correction_id)
      order by c.created_at desc, c.topic_correction_id desc limit ${mostCorrections}`
  })
  const keep = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, topicIDs: Schema.Array(TopicID) }),
    Result: Schema.Struct({ topicID: TopicID }),
    execute: (_) => sql`
      select topic_id as "topicID" from topic
      where customer_id = ${_.customerID} and topic_id = any(${[..._.topicIDs]}::int[])
      for key share`
  })

  return DetectionMaterialRepo.of({
    topics: (customerID) => topics(customerID).pipe(Effect.orDie),
    pages: (customerID) => pages(customerID).pipe(Effect.orDie),
    corrections: (customerID, except) => corrections({ customerID, except }).pipe(Effect.orDie),
    keep: (customerID, topicIDs) =>
      keep({ customerID, topicIDs }).pipe(
        Effect.map((rows) => {
          const kept = new Set(rows.map(({ topicID }) => topicID))
          return topicIDs.filter((topicID) => kept.has(topicID))
        }),
        Effect.orDie
      )
  })
})
