import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { DataRights } from "./DataRights.ts"

export const DataRightsHttp = HttpApiBuilder.group(CaseworkApi, "dataRights", (handlers) =>
  Effect.gen(function* () {
    const rights = yield* DataRights
    return handlers
      .handle("exportEndUser", ({ path }) => rights.export(path.id))
      .handle("eraseEndUser", ({ path }) => rights.erase(path.id))
      .handle("getErasure", ({ path }) => rights.getErasure(path.id))
  })
)
