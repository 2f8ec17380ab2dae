import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Option } from "effect"
import type { CustomerID, PageTopicMappingID } from "../../schema/Ids.ts"
import {
  PageTopicMapping,
  type PageTopicMappingPage,
  type PageTopicMappingsQuery,
  pageTopicMappingPaging
} from "../../schema/PageTopicMappings.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import type { Duplicate } from "../platform/database/Violations.ts"

type PageTopicMappingFields = Omit<PageTopicMapping, "pageTopicMappingID">

type Find = (
  customerID: CustomerID,
  pageTopicMappingID: PageTopicMappingID
) => Effect.Effect<Option.Option<PageTopicMapping>>

export class PageTopicMappingsRepo extends Context.Tag("casework/PageTopicMappingsRepo")<
  PageTopicMappingsRepo,
  {
    readonly list: (customerID: CustomerID, query: PageTopicMappingsQuery) => Effect.Effect<PageTopicMappingPage>
    readonly find: Find
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: Find
    readonly insert: (
      customerID: CustomerID,
      fields: PageTopicMappingFields
    ) => Effect.Effect<PageTopicMapping, Duplicate>
    readonly update: (
      customerID: CustomerID,
      pageTopicMappingID: PageTopicMappingID,
      fields: PageTopicMappingFields
    ) => Effect.Effect<boolean, Duplicate>
    readonly delete: (customerID: CustomerID, pageTopicMappingID: PageTopicMappingID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    PageTopicMappingsRepo,
    Effect.suspend(() => make)
  )
}

const valuesOf = ({ context, pageUrl, topicID }: PageTopicMappingFields) => ({
  topic_id: topicID,
  page_url: pageUrl,
  context
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`page_topic_mapping_id as "pageTopicMappingID", topic_id as "topicID",
    page_url as "pageUrl", context`)
  const rows = ownRows(sql, {
    table: "page_topic_mapping",
    key: "page_topic_mapping_id",
    columns,
    Result: PageTopicMapping
  })

  const list = pagedQuery(sql, {
    Result: PageTopicMapping,
    columns,
    from: ({ customerID, query }: { readonly customerID: CustomerID; readonly query: PageTopicMappingsQuery }) =>
      sql`page_topic_mapping where ${sql.and([
        sql`customer_id = ${customerID}`,
        ...whenGiven(query.topicId, (topicID) => sql`topic_id = ${topicID}`),
        ...whenGiven(query.pageUrl, (pageUrl) => sql`page_url = ${pageUrl}`)
      ])}`,
    sortBy: {
      pageTopicMappingID: "page_topic_mapping_id",
      topicID: "topic_id",
      pageUrl: ignoringCase("page_url"),
      context: ignoringCase("context")
    },
    optional: ["context"],
    id: "page_topic_mapping_id",
    paging: pageTopicMappingPaging
  })

  return PageTopicMappingsRepo.of({
    list: (customerID, query) => list({ customerID, query }, query),
    find: rows.find,
    findForUpdate: rows.findForUpdate,
    insert: (customerID, fields) => rows.insert(customerID, valuesOf(fields)),
    update: (customerID, pageTopicMappingID, fields) => rows.update(customerID, pageTopicMappingID, valuesOf(fields)),
    delete: rows.delete
  })
})
