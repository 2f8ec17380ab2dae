import { Context, Effect, Layer, Option } from "effect"
import { CurrentCaller, CurrentRep } from "../../schema/Authentication.ts"
import {
  Document,
  type DocumentCreate,
  type DocumentPage,
  type DocumentsQuery,
  type DocumentUpdate,
  type Retrieval,
  type RetrievalRequest
} from "../../schema/Documents.ts"
import { type BadGateway, BadRequest, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, DocumentID } from "../../schema/Ids.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { masked, writtenSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { DataRetrieval } from "./DataRetrieval.ts"
import { secretPlace } from "./DocumentColumns.ts"
import { documentProblems, mergeDocument } from "./DocumentRules.ts"
import { type DocumentFields, DocumentsRepo, type StoredDocument } from "./DocumentsRepo.ts"
import { messageValues } from "./MessageContext.ts"
import { MessageContextsRepo } from "./MessageContextsRepo.ts"
import { fillWhole, type Values } from "./Placeholders.ts"
import { firstOf, PlaceholderValues } from "./PlaceholderValues.ts"

export class Documents extends Context.Tag("casework/Documents")<
  Documents,
  {
    readonly list: (query: DocumentsQuery) => Effect.Effect<DocumentPage, never, CurrentRep>
    readonly get: (
      documentID: DocumentID,
      query: { readonly replacePlaceholders?: boolean }
    ) => Effect.Effect<Document, BadRequest | NotFound, CurrentCaller>
    readonly create: (document: DocumentCreate) => Effect.Effect<Document, BadRequest, CurrentRep>
    readonly update: (
      documentID: DocumentID,
      change: DocumentUpdate
    ) => Effect.Effect<void, BadRequest | NotFound, CurrentRep>
    readonly delete: (documentID: DocumentID) => Effect.Effect<void, NotFound, CurrentRep>
    readonly retrieve: (
      documentID: DocumentID,
      request: RetrievalRequest
    ) => Effect.Effect<Retrieval, BadRequest | NotFound | BadGateway, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Documents,
    Effect.suspend(() => make)
  )
}

const missing = (documentID: DocumentID) => `There is no document ${documentID}.`

/** A stored document as the API shows it, with its secrets masked. */
const shown = (stored: StoredDocument) =>
  new Document({
    ...stored,
    overrideApiPassword: masked(stored.overrideApiPassword),
    overrideApiToken: masked(stored.overrideApiToken)
  })

const variableValues = (variables: RetrievalRequest["variables"] = {}): Values => {
  const given = new Map(Object.entries(variables))
  return (name) => (given.has(name) ? String(given.get(name)) : undefined)
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* DocumentsRepo
  const secrets = yield* Secrets
  const placeholders = yield* PlaceholderValues
  const retrieval = yield* DataRetrieval
  const contexts = yield* MessageContextsRepo

  /** The fields to store after a write, if they are consistent. */
  const written = fn("Documents.written")(function* (
    customerID: CustomerID,
    change: DocumentCreate | DocumentUpdate,
    stored?: DocumentFields
  ) {
    const merged = mergeDocument(change, stored)
    const problems = documentProblems(change, merged)
    if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
    if (!merged.isDataRetrievalProcess) return merged
    const secret = (field: "overrideApiPassword" | "overrideApiToken") =>
      writtenSecret(secrets, secretPlace(customerID, field), change[field], stored?.[field])
    return {
      ...merged,
      overrideApiPassword: secret("overrideApiPassword"),
      overrideApiToken: secret("overrideApiToken")
    }
  })

  return Documents.of({
    list: fn("Documents.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      const page = yield* repo.list(customerID, query)
      return { ...page, items: page.items.map(shown) }
    }),

    get: fn("Documents.get")(function* (documentID, { replacePlaceholders = false }) {
      const { customerID } = yield* CurrentCaller
      const document = shown(yield* repo.find(customerID, documentID).pipe(orNotFound(missing(documentID))))
      if (!replacePlaceholders || document.content === null) return document
      const values = yield* placeholders.of(customerID, [document.content])
      return new Document({ ...document, content: yield* fillWhole(document.content, values) })
    }),

    create: fn("Documents.create")(function* (document) {
      const { customerID } = yield* CurrentRep
      return shown(yield* repo.insert(customerID, yield* written(customerID, document)))
    }),

    update: fn("Documents.update")(function* (documentID, change) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.findForUpdate(customerID, documentID).pipe(orNotFound(missing(documentID)))
      yield* repo.update(customerID, documentID, yield* written(customerID, change, stored))
    }, inTransaction),

    delete: fn("Documents.delete")(function* (documentID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, documentID).pipe(changedOrNotFound(missing(documentID)))
    }),

    retrieve: fn("Documents.retrieve")(function* (documentID, { messageID, variables }) {
      const { customerID } = yield* CurrentRep
      const document = yield* repo.find(customerID, documentID).pipe(orNotFound(missing(documentID)))
      const given = variableValues(variables)
      if (messageID === undefined) return yield* retrieval.run(customerID, document, given)
      const context = yield* Effect.flatMap(
        contexts.find(customerID, messageID),
        Option.match({
          onNone: () => BadRequest.at("messageID", "is not one of your ticket messages"),
          onSome: Effect.succeed
        })
      )
      return yield* retrieval.run(customerID, document, firstOf(given, messageValues(context)))
    })
  })
})
