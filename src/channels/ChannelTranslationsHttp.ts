import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { ChannelTranslations } from "./ChannelTranslations.ts"

export const ChannelTranslationsHttp = HttpApiBuilder.group(CaseworkApi, "channelTranslations", (handlers) =>
  Effect.gen(function* () {
    const translations = yield* ChannelTranslations
    return handlers
      .handle("resolveChannelTranslation", ({ urlParams }) => translations.resolve(urlParams))
      .handle("listChannelTranslations", ({ path }) => translations.list(path.id))
      .handle("getChannelTranslation", ({ path }) => translations.get(path.id))
      .handle("createChannelTranslation", ({ payload }) => translations.create(payload))
      .handle("updateChannelTranslation", ({ path, payload }) => translations.update(path.id, payload))
      .handle("deleteChannelTranslation", ({ path }) => translations.delete(path.id))
  })
)
