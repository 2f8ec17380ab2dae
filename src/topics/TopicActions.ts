import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import type { BadRequest, Conflict, NotFound } from "../../schema/Errors.ts"
import type { TopicActionID } from "../../schema/Ids.ts"
import { targetOf } from "../../schema/MappingTarget.ts"
import type {
  PriorityUpdate,
  TopicAction,
  TopicActionCreate,
  TopicActionPage,
  TopicActionsQuery
} from "../../schema/TopicActions.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { makeAddMappings } from "./AddMappings.ts"
import { TopicActionsRepo } from "./TopicActionsRepo.ts"

export class TopicActions extends Context.Tag("casework/TopicActions")<
  TopicActions,
  {
    readonly list: (query: TopicActionsQuery) => Effect.Effect<TopicActionPage, never, CurrentRep>
    readonly get: (topicActionID: TopicActionID) => Effect.Effect<TopicAction, NotFound, CurrentRep>
    readonly create: (mapping: TopicActionCreate) => Effect.Effect<TopicAction, BadRequest | Conflict, CurrentRep>
    readonly createAll: (
      mappings: ReadonlyArray<TopicActionCreate>
    ) => Effect.Effect<ReadonlyArray<TopicAction>, BadRequest | Conflict, CurrentRep>
    readonly setPriority: (
      topicActionID: TopicActionID,
      change: PriorityUpdate
    ) => Effect.Effect<void, NotFound, CurrentRep>
    readonly delete: (topicActionID: TopicActionID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    TopicActions,
    Effect.suspend(() => make)
  )
}

const missing = (topicActionID: TopicActionID) => `There is no topic action ${topicActionID}.`

const fieldsOf = (mapping: TopicActionCreate) => ({ ...mapping, ...targetOf(mapping) })

const make = Effect.gen(function* () {
  const repo = yield* TopicActionsRepo
  const add = yield* makeAddMappings(repo.insertNew)

  return TopicActions.of({
    list: fn("TopicActions.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("TopicActions.get")(function* (topicActionID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, topicActionID).pipe(orNotFound(missing(topicActionID)))
    }),

    create: fn("TopicActions.create")(function* (mapping) {
      const { customerID } = yield* CurrentRep
      return yield* add.one(customerID, fieldsOf(mapping))
    }),

    createAll: fn("TopicActions.createAll")(function* (mappings) {
      const { customerID } = yield* CurrentRep
      return yield* add.all(customerID, mappings.map(fieldsOf))
    }),

    setPriority: fn("TopicActions.setPriority")(function* (topicActionID, { priority }) {
      const { customerID } = yield* CurrentRep
      yield* repo.setPriority(customerID, topicActionID, priority).pipe(changedOrNotFound(missing(topicActionID)))
    }),

    delete: fn("TopicActions.delete")(function* (topicActionID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, topicActionID).pipe(changedOrNotFound(missing(topicActionID)))
    })
  })
})
