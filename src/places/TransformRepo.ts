import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, DocumentID, TopicID } from "../../schema/Ids.ts"

const Guide = Schema.Struct({
  documentID: DocumentID,
  version: Schema.Int,
  title: Schema.String,
  content: Schema.String
})
export type Guide = typeof Guide.Type

export class TransformRepo extends Context.Tag("casework/TransformRepo")<
  TransformRepo,
  {
    readonly findTopic: (customerID: CustomerID, topicID: TopicID) => Effect.Effect<Option.Option<TopicID>>
    readonly findTopicNamed: (customerID: CustomerID, name: string) => Effect.Effect<Option.Option<TopicID>>
    /**
     * The topic's static documents, the most relevant first. Rows of hooks have no topic, so those of All are never
     * included.
     */
    readonly guidesOf: (customerID: CustomerID, topicID: TopicID) => Effect.Effect<ReadonlyArray<Guide>>
    /** Finds a static document that is not empty. */
    readonly findGuide: (customerID: CustomerID, documentID: DocumentID) => Effect.Effect<Option.Option<Guide>>
    /** Returns which of these documents retrieve data, and so cannot be guides. */
    readonly retrieving: (customerID: CustomerID, ids: ReadonlyArray<number>) => Effect.Effect<ReadonlySet<number>>
  }
>() {
  static readonly layer = Layer.effect(
    TransformRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`d.document_id as "documentID", d.version, d.name as title, d.content`)
  const isGuide = sql.literal("not d.is_data_retrieval_process and btrim(d.content) <> ''")
  const Topic = Schema.Struct({ topicID: TopicID })

  const findTopic = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, topicID: TopicID }),
    Result: Topic,
    execute: (_) => sql`
      select topic_id as "topicID" from topic where customer_id = ${_.customerID} and topic_id = ${_.topicID}`
  })
  const findTopicNamed = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, name: Schema.String }),
    Result: Topic,
    execute: (_) => sql`
      select topic_id as "topicID" from topic
      where customer_id = ${_.customerID} and lower(name) = lower(${_.name}::text)`
  })
  const guidesOf = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, topicID: TopicID }),
    Result: Guide,
    execute: (_) => sql`
      select ${columns} from topic_document t
      join document d on d.customer_id = t.customer_id and d.document_id = t.document_id
      where t.customer_id = ${_.customerID} and t.topic_id = ${_.topicID} and ${isGuide}
      order by t.relevance_score desc nulls last, t.topic_document_id`
  })
  const findGuide = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, documentID: DocumentID }),
    Result: Guide,
    execute: (_) => sql`
      select ${columns} from document d
      where d.customer_id = ${_.customerID} and d.document_id = ${_.documentID} and ${isGuide}`
  })
  const retrieving = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, ids: Schema.Array(Schema.Int) }),
    Result: Schema.Struct({ documentID: DocumentID }),
    execute: (_) => sql`
      select document_id as "documentID" from document
      where customer_id = ${_.customerID} and document_id = any(${[..._.ids]}::int[]) and is_data_retrieval_process`
  })
  const idOf = Option.map(({ topicID }: typeof Topic.Type) => topicID)

  return TransformRepo.of({
    findTopic: (customerID, topicID) => findTopic({ customerID, topicID }).pipe(Effect.map(idOf), Effect.orDie),
    findTopicNamed: (customerID, name) => findTopicNamed({ customerID, name }).pipe(Effect.map(idOf), Effect.orDie),
    guidesOf: (customerID, topicID) => guidesOf({ customerID, topicID }).pipe(Effect.orDie),
    findGuide: (customerID, documentID) => findGuide({ customerID, documentID }).pipe(Effect.orDie),
    retrieving: (customerID, ids) =>
      retrieving({ customerID, ids }).pipe(
        Effect.map((found) => new Set(found.map(({ documentID }) => documentID))),
        Effect.orDie
      )
  })
})
