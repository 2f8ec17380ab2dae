import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema, Struct } from "effect"
import { Document, type DocumentsQuery, documentPaging } from "../../schema/Documents.ts"
import { CustomerID, DocumentID } from "../../schema/Ids.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { documentColumns } from "./DocumentColumns.ts"

const Key = Schema.Struct({ customerID: CustomerID, documentID: DocumentID })

/** A row; its secrets are encrypted. */
const Stored = Schema.Struct({
  ...Document.fields,
  creationDate: Schema.DateTimeUtcFromDate,
  lastModifiedDate: Schema.DateTimeUtcFromDate,
  version: Schema.Int
})
export type StoredDocument = typeof Stored.Type

const Fields = Schema.Struct(Struct.pick(Document.fields, ...Struct.keys(documentColumns)))
export type DocumentFields = typeof Fields.Type

export class DocumentsRepo extends Context.Tag("casework/DocumentsRepo")<
  DocumentsRepo,
  {
    readonly list: (
      customerID: CustomerID,
      query: DocumentsQuery
    ) => Effect.Effect<{
      readonly items: ReadonlyArray<StoredDocument>
      readonly totalCount: number
      readonly pageNumber: number
      readonly pageSize: number
    }>
    readonly find: (customerID: CustomerID, documentID: DocumentID) => Effect.Effect<Option.Option<StoredDocument>>
    /** In the order of the ids. */
    readonly findMany: (
      customerID: CustomerID,
      documentIDs: ReadonlyArray<DocumentID>
    ) => Effect.Effect<ReadonlyArray<StoredDocument>>
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: (
      customerID: CustomerID,
      documentID: DocumentID
    ) => Effect.Effect<Option.Option<StoredDocument>>
    readonly insert: (customerID: CustomerID, fields: DocumentFields) => Effect.Effect<StoredDocument>
    readonly update: (customerID: CustomerID, documentID: DocumentID, fields: DocumentFields) => Effect.Effect<void>
    readonly delete: (customerID: CustomerID, documentID: DocumentID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    DocumentsRepo,
    Effect.suspend(() => make)
  )
}

const toColumns = (fields: DocumentFields) =>
  Object.fromEntries(Struct.entries(documentColumns).map(([field, column]) => [column, fields[field]]))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    [
      `document_id as "documentID", customer_id as "customerID", created_at as "creationDate"`,
      `modified_at as "lastModifiedDate", version`,
      ...Struct.entries(documentColumns).map(([field, column]) => `${column} as "${field}"`)
    ].join(", ")
  )

  const list = pagedQuery(sql, {
    Result: Stored,
    columns,
    from: (customerID: CustomerID) => sql`document where customer_id = ${customerID}`,
    sortBy: {
      documentID: "document_id",
      customerID: "customer_id",
      name: ignoringCase("name"),
      description: ignoringCase("description"),
      content: ignoringCase("content"),
      isDataRetrievalProcess: "is_data_retrieval_process",
      creationDate: "created_at",
      lastModifiedDate: "modified_at",
      overrideApiBaseUrl: ignoringCase("override_api_base_url"),
      overrideApiUsername: ignoringCase("override_api_username"),
      overrideApiPassword: "(override_api_password is not null)",
      overrideApiToken: "(override_api_token is not null)",
      overrideApiAuthenticationType: "override_api_authentication_type",
      apiEndpoint: ignoringCase("api_endpoint"),
      apiMethod: "api_method",
      apiHeaders: ignoringCase("api_headers"),
      apiBodyTemplate: ignoringCase("api_body_template")
    },
    optional: [
      "description",
      "content",
      "overrideApiBaseUrl",
      "overrideApiUsername",
      "overrideApiAuthenticationType",
      "apiEndpoint",
      "apiMethod",
      "apiHeaders",
      "apiBodyTemplate"
    ],
    id: "document_id",
    bytes: sql`coalesce(octet_length(content), 0) + coalesce(octet_length(api_body_template), 0) + coalesce(octet_length(api_headers), 0)`,
    paging: documentPaging
  })
  const rows = ownRows(sql, { table: "document", key: "document_id", columns, Result: Stored })
  const findMany = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, documentIDs: Schema.Array(DocumentID) }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from document
      where customer_id = ${_.customerID} and document_id = any(${[..._.documentIDs]}::int[])
      order by array_position(${[..._.documentIDs]}::int[], document_id)`
  })
  const insert = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, fields: Fields }),
    Result: Stored,
    execute: (_) => sql`
      insert into document ${sql.insert({ customer_id: _.customerID, ...toColumns(_.fields) })} returning ${columns}`
  })
  const update = SqlSchema.void({
    Request: Schema.Struct({ ...Key.fields, fields: Fields }),
    execute: (_) => sql`
      update document set ${sql.update(toColumns(_.fields))}, modified_at = now(), version = version + 1
      where customer_id = ${_.customerID} and document_id = ${_.documentID}`
  })

  return DocumentsRepo.of({
    list,
    find: rows.find,
    findMany: (customerID, documentIDs) => findMany({ customerID, documentIDs }).pipe(Effect.orDie),
    findForUpdate: rows.findForUpdate,
    insert: (customerID, fields) => insert({ customerID, fields }).pipe(Effect.orDie),
    update: (customerID, documentID, fields) => update({ customerID, documentID, fields }).pipe(Effect.orDie),
    delete: rows.delete
  })
})
