import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Option } from "effect"
import type { CustomerID, TopicID } from "../../schema/Ids.ts"
import { Topic, type TopicPage, type TopicsQuery, type TopicUpdate, topicPaging } from "../../schema/Topics.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import type { Duplicate } from "../platform/database/Violations.ts"

export class TopicsRepo extends Context.Tag("casework/TopicsRepo")<
  TopicsRepo,
  {
    readonly list: (customerID: CustomerID, query: TopicsQuery) => Effect.Effect<TopicPage>
    readonly find: (customerID: CustomerID, topicID: TopicID) => Effect.Effect<Option.Option<Topic>>
    readonly insert: (
      customerID: CustomerID,
      fields: { readonly name: string; readonly description: string | null }
    ) => Effect.Effect<Topic, Duplicate>
    readonly update: (
      customerID: CustomerID,
      topicID: TopicID,
      change: TopicUpdate
    ) => Effect.Effect<boolean, Duplicate>
    readonly delete: (customerID: CustomerID, topicID: TopicID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    TopicsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`topic_id as "topicID", customer_id as "customerID", name, description`)
  const rows = ownRows(sql, { table: "topic", key: "topic_id", columns, Result: Topic })

  const list = pagedQuery(sql, {
    Result: Topic,
    columns,
    from: (customerID: CustomerID) => sql`topic where customer_id = ${customerID}`,
    sortBy: {
      topicID: "topic_id",
      customerID: "customer_id",
      name: ignoringCase("name"),
      description: ignoringCase("description")
    },
    optional: ["description"],
    id: "topic_id",
    paging: topicPaging
  })

  return TopicsRepo.of({ list, find: rows.find, insert: rows.insert, update: rows.update, delete: rows.delete })
})
