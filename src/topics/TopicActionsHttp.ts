import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { TopicActions } from "./TopicActions.ts"

export const TopicActionsHttp = HttpApiBuilder.group(CaseworkApi, "topicActions", (handlers) =>
  Effect.gen(function* () {
    const topicActions = yield* TopicActions
    return handlers
      .handle("listTopicActions", ({ urlParams }) => topicActions.list(urlParams))
      .handle("getTopicAction", ({ path }) => topicActions.get(path.id))
      .handle("createTopicAction", ({ payload }) => topicActions.create(payload))
      .handle("createTopicActions", ({ payload }) => topicActions.createAll(payload))
      .handle("updateTopicAction", ({ path, payload }) => topicActions.setPriority(path.id, payload))
      .handle("deleteTopicAction", ({ path }) => topicActions.delete(path.id))
  })
)
