import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Topics } from "./Topics.ts"

export const TopicsHttp = HttpApiBuilder.group(CaseworkApi, "topics", (handlers) =>
  Effect.gen(function* () {
    const topics = yield* Topics
    return handlers
      .handle("listTopics", ({ urlParams }) => topics.list(urlParams))
      .handle("getTopic", ({ path }) => topics.get(path.id))
      .handle("createTopic", ({ payload }) => topics.create(payload))
      .handle("updateTopic", ({ path, payload }) => topics.update(path.id, payload))
      .handle("deleteTopic", ({ path }) => topics.delete(path.id))
  })
)
