import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { type BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { PageTopicMappingID } from "../../schema/Ids.ts"
import type {
  PageTopicMapping,
  PageTopicMappingCreate,
  PageTopicMappingPage,
  PageTopicMappingsQuery,
  PageTopicMappingUpdate
} from "../../schema/PageTopicMappings.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { referencesOf } from "./MappingTarget.ts"
import { PageTopicMappingsRepo } from "./PageTopicMappingsRepo.ts"

export class PageTopicMappings extends Context.Tag("casework/PageTopicMappings")<
  PageTopicMappings,
  {
    readonly list: (query: PageTopicMappingsQuery) => Effect.Effect<PageTopicMappingPage, never, CurrentRep>
    readonly get: (pageTopicMappingID: PageTopicMappingID) => Effect.Effect<PageTopicMapping, NotFound, CurrentRep>
    readonly create: (
      mapping: PageTopicMappingCreate
    ) => Effect.Effect<PageTopicMapping, BadRequest | Conflict, CurrentRep>
    readonly update: (
      pageTopicMappingID: PageTopicMappingID,
      change: PageTopicMappingUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (pageTopicMappingID: PageTopicMappingID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    PageTopicMappings,
    Effect.suspend(() => make)
  )
}

const missing = (pageTopicMappingID: PageTopicMappingID) => `There is no page topic mapping ${pageTopicMappingID}.`

const mappedAlready = () => Conflict.of("This page is already mapped to this topic.")

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* PageTopicMappingsRepo
  const checkOwnReferences = yield* makeCheckOwnReferences

  return PageTopicMappings.of({
    list: fn("PageTopicMappings.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("PageTopicMappings.get")(function* (pageTopicMappingID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, pageTopicMappingID).pipe(orNotFound(missing(pageTopicMappingID)))
    }),

    create: fn("PageTopicMappings.create")(function* ({ context = null, ...mapping }) {
      const { customerID } = yield* CurrentRep
      yield* checkOwnReferences(customerID, referencesOf(mapping))
      return yield* repo.insert(customerID, { ...mapping, context }).pipe(Effect.catchTag("Duplicate", mappedAlready))
    }, inTransaction),

    update: fn("PageTopicMappings.update")(function* (pageTopicMappingID, change) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo
        .findForUpdate(customerID, pageTopicMappingID)
        .pipe(orNotFound(missing(pageTopicMappingID)))
      yield* checkOwnReferences(customerID, referencesOf(change))
      yield* repo
        .update(customerID, pageTopicMappingID, { ...stored, ...change })
        .pipe(Effect.catchTag("Duplicate", mappedAlready))
    }, inTransaction),

    delete: fn("PageTopicMappings.delete")(function* (pageTopicMappingID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, pageTopicMappingID).pipe(changedOrNotFound(missing(pageTopicMappingID)))
    })
  })
})
