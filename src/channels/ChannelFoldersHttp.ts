import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { ChannelFolders } from "./ChannelFolders.ts"

export const ChannelFoldersHttp = HttpApiBuilder.group(CaseworkApi, "channelFolders", (handlers) =>
  Effect.gen(function* () {
    const folders = yield* ChannelFolders
    return handlers
      .handle("listChannelFolders", ({ path }) => folders.list(path.id))
      .handle("getChannelFolder", ({ path }) => folders.get(path.id))
      .handle("createChannelFolder", ({ payload }) => folders.create(payload))
      .handle("updateChannelFolder", ({ path, payload }) => folders.update(path.id, payload))
      .handle("deleteChannelFolder", ({ path }) => folders.delete(path.id))
  })
)
