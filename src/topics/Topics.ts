import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { Conflict, type NotFound } from "../../schema/Errors.ts"
import type { TopicID } from "../../schema/Ids.ts"
import type { Topic, TopicCreate, TopicPage, TopicsQuery, TopicUpdate } from "../../schema/Topics.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TopicsRepo } from "./TopicsRepo.ts"

export class Topics extends Context.Tag("casework/Topics")<
  Topics,
  {
    readonly list: (query: TopicsQuery) => Effect.Effect<TopicPage, never, CurrentRep>
    readonly get: (topicID: TopicID) => Effect.Effect<Topic, NotFound, CurrentRep>
    readonly create: (topic: TopicCreate) => Effect.Effect<Topic, Conflict, CurrentRep>
    readonly update: (topicID: TopicID, change: TopicUpdate) => Effect.Effect<void, NotFound | Conflict, CurrentRep>
    readonly delete: (topicID: TopicID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Topics,
    Effect.suspend(() => make)
  )
}

const missing = (topicID: TopicID) => `There is no topic ${topicID}.`

const nameTaken = (name: string) => () => Conflict.of(`A topic named "${name}" already exists.`)

const make = Effect.gen(function* () {
  const repo = yield* TopicsRepo

  return Topics.of({
    list: fn("Topics.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("Topics.get")(function* (topicID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, topicID).pipe(orNotFound(missing(topicID)))
    }),

    create: fn("Topics.create")(function* ({ description = null, name }) {
      const { customerID } = yield* CurrentRep
      return yield* repo.insert(customerID, { name, description }).pipe(Effect.catchTag("Duplicate", nameTaken(name)))
    }),

    update: fn("Topics.update")(function* (topicID, change) {
      const { customerID } = yield* CurrentRep
      yield* repo
        .update(customerID, topicID, change)
        .pipe(Effect.catchTag("Duplicate", nameTaken(change.name)), changedOrNotFound(missing(topicID)))
    }),

    delete: fn("Topics.delete")(function* (topicID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, topicID).pipe(changedOrNotFound(missing(topicID)))
    })
  })
})
