import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { TopicDocuments } from "./TopicDocuments.ts"

export const TopicDocumentsHttp = HttpApiBuilder.group(CaseworkApi, "topicDocuments", (handlers) =>
  Effect.gen(function* () {
    const topicDocuments = yield* TopicDocuments
    return handlers
      .handle("listTopicDocuments", ({ urlParams }) => topicDocuments.list(urlParams))
      .handle("getTopicDocument", ({ path }) => topicDocuments.get(path.id))
      .handle("createTopicDocument", ({ payload }) => topicDocuments.create(payload))
      .handle("updateTopicDocument", ({ path, payload }) => topicDocuments.update(path.id, payload))
      .handle("deleteTopicDocument", ({ path }) => topicDocuments.delete(path.id))
  })
)
