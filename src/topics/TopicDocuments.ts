import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { type BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { TopicDocumentID } from "../../schema/Ids.ts"
import { targetOf, targetProblems } from "../../schema/MappingTarget.ts"
import type {
  TopicDocument,
  TopicDocumentCreate,
  TopicDocumentPage,
  TopicDocumentsQuery,
  TopicDocumentUpdate
} from "../../schema/TopicDocuments.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences, newReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { makeAddMappings } from "./AddMappings.ts"
import { referencesOf } from "./MappingTarget.ts"
import { TopicDocumentsRepo } from "./TopicDocumentsRepo.ts"

export class TopicDocuments extends Context.Tag("casework/TopicDocuments")<
  TopicDocuments,
  {
    readonly list: (query: TopicDocumentsQuery) => Effect.Effect<TopicDocumentPage, never, CurrentRep>
    readonly get: (topicDocumentID: TopicDocumentID) => Effect.Effect<TopicDocument, NotFound, CurrentRep>
    readonly create: (mapping: TopicDocumentCreate) => Effect.Effect<TopicDocument, BadRequest | Conflict, CurrentRep>
    readonly update: (
      topicDocumentID: TopicDocumentID,
      change: TopicDocumentUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (topicDocumentID: TopicDocumentID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    TopicDocuments,
    Effect.suspend(() => make)
  )
}

const missing = (topicDocumentID: TopicDocumentID) => `There is no topic document ${topicDocumentID}.`

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* TopicDocumentsRepo
  const add = yield* makeAddMappings(repo.insertNew)
  const checkOwnReferences = yield* makeCheckOwnReferences

  return TopicDocuments.of({
    list: fn("TopicDocuments.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("TopicDocuments.get")(function* (topicDocumentID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, topicDocumentID).pipe(orNotFound(missing(topicDocumentID)))
    }),

    create: fn("TopicDocuments.create")(function* (mapping) {
      const { customerID } = yield* CurrentRep
      const { documentID, relevanceScore = null } = mapping
      return yield* add.one(customerID, { documentID, relevanceScore, ...targetOf(mapping) })
    }),

    update: fn("TopicDocuments.update")(function* (topicDocumentID, change) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.findForUpdate(customerID, topicDocumentID).pipe(orNotFound(missing(topicDocumentID)))
      const fields = { ...stored, ...change }
      const problems = targetProblems(fields).map(({ message, path }) => ({ path: path.join("."), message }))
      yield* checkOwnReferences(
        customerID,
        newReferences(referencesOf({ channelID: stored.channelID }), referencesOf(change)),
        problems
      )
      yield* repo
        .update(customerID, topicDocumentID, fields)
        .pipe(Effect.catchTag("Duplicate", () => Conflict.of("This mapping already exists.")))
    }, inTransaction),

    delete: fn("TopicDocuments.delete")(function* (topicDocumentID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, topicDocumentID).pipe(changedOrNotFound(missing(topicDocumentID)))
    })
  })
})
