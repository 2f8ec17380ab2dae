import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { PageTopicMappings } from "./PageTopicMappings.ts"

export const PageTopicMappingsHttp = HttpApiBuilder.group(CaseworkApi, "pageTopicMappings", (handlers) =>
  Effect.gen(function* () {
    const mappings = yield* PageTopicMappings
    return handlers
      .handle("listPageTopicMappings", ({ urlParams }) => mappings.list(urlParams))
      .handle("getPageTopicMapping", ({ path }) => mappings.get(path.id))
      .handle("createPageTopicMapping", ({ payload }) => mappings.create(payload))
      .handle("updatePageTopicMapping", ({ path, payload }) => mappings.update(path.id, payload))
      .handle("deletePageTopicMapping", ({ path }) => mappings.delete(path.id))
  })
)
