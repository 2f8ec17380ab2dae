import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Channels } from "./Channels.ts"
import { MailRetrieval } from "./MailRetrieval.ts"

export const ChannelsHttp = HttpApiBuilder.group(CaseworkApi, "channels", (handlers) =>
  Effect.gen(function* () {
    const channels = yield* Channels
    const retrieval = yield* MailRetrieval
    return handlers
      .handle("listChannels", () => channels.list())
      .handle("getChannel", ({ path }) => channels.get(path.id))
      .handle("createChannel", ({ payload }) => channels.create(payload))
      .handle("updateChannel", ({ path, payload }) => channels.update(path.id, payload))
      .handle("deleteChannel", ({ path }) => channels.delete(path.id))
      .handle("importAllEmails", () => retrieval.importAll())
      .handle("importEmails", ({ path }) => retrieval.importChannel(path.id))
  })
)
