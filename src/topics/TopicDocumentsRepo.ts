import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Option, Struct } from "effect"
import type { CustomerID, TopicDocumentID } from "../../schema/Ids.ts"
import {
  TopicDocument,
  type TopicDocumentPage,
  type TopicDocumentsQuery,
  topicDocumentPaging
} from "../../schema/TopicDocuments.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { pagedQuery } from "../platform/database/PagedQuery.ts"
import type { Duplicate } from "../platform/database/Violations.ts"
import { targetColumns, targetConditions, targetSortBy, targetValues } from "./TargetColumnsSql.ts"

type TopicDocumentFields = Omit<TopicDocument, "topicDocumentID">

type Find = (customerID: CustomerID, topicDocumentID: TopicDocumentID) => Effect.Effect<Option.Option<TopicDocument>>

export class TopicDocumentsRepo extends Context.Tag("casework/TopicDocumentsRepo")<
  TopicDocumentsRepo,
  {
    readonly list: (customerID: CustomerID, query: TopicDocumentsQuery) => Effect.Effect<TopicDocumentPage>
    readonly find: Find
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: Find
    /** Skips mappings that exist already. */
    readonly insertNew: (
      customerID: CustomerID,
      mappings: ReadonlyArray<TopicDocumentFields>
    ) => Effect.Effect<ReadonlyArray<TopicDocument>>
    readonly update: (
      customerID: CustomerID,
      topicDocumentID: TopicDocumentID,
      fields: TopicDocumentFields
    ) => Effect.Effect<boolean, Duplicate>
    readonly delete: (customerID: CustomerID, topicDocumentID: TopicDocumentID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    TopicDocumentsRepo,
    Effect.suspend(() => make)
  )
}

const valuesOf = ({ documentID, relevanceScore, ...target }: TopicDocumentFields) => ({
  ...targetValues(target),
  document_id: documentID,
  relevance_score: relevanceScore
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`topic_document_id as "topicDocumentID", document_id as "documentID",
    relevance_score as "relevanceScore", ${targetColumns}`)
  const rows = ownRows(sql, { table: "topic_document", key: "topic_document_id", columns, Result: TopicDocument })

  const list = pagedQuery(sql, {
    Result: TopicDocument,
    columns,
    from: ({ customerID, query }: { readonly customerID: CustomerID; readonly query: TopicDocumentsQuery }) =>
      sql`topic_document where ${sql.and([
        ...targetConditions(sql, customerID, query),
        ...whenGiven(query.documentId, (documentID) => sql`document_id = ${documentID}`),
        ...whenGiven(query.isHook, (isHook) => sql`(hook_name is not null) = ${isHook}`)
      ])}`,
    sortBy: {
      topicDocumentID: "topic_document_id",
      documentID: "document_id",
      // A row without a score sorts below the lowest score.
      relevanceScore: "coalesce(relevance_score, -2147483649)",
      ...targetSortBy
    },
    optional: Struct.keys(targetSortBy),
    id: "topic_document_id",
    paging: topicDocumentPaging
  })

  return TopicDocumentsRepo.of({
    list: (customerID, query) => list({ customerID, query }, query),
    find: rows.find,
    findForUpdate: rows.findForUpdate,
    insertNew: (customerID, mappings) => rows.insertNew(customerID, mappings.map(valuesOf)),
    update: (customerID, topicDocumentID, fields) => rows.update(customerID, topicDocumentID, valuesOf(fields)),
    delete: rows.delete
  })
})
