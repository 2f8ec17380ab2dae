import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { DataRights } from "./DataRights.ts"

const onlyHeaders = HttpServerResponse.empty({ status: 200, headers: { "content-type": "application/json" } })

export const DataRightsHttp = HttpApiBuilder.group(CaseworkApi, "dataRights", (handlers) =>
  Effect.gen(function* () {
    const rights = yield* DataRights
    return (
      handlers
        // Only a GET may start an export: a HEAD request must not change anything.
        .handle("exportEndUser", ({ path, request }) =>
          request.method === "HEAD" ? Effect.as(rights.checkExport(path.id), onlyHeaders) : rights.export(path.id)
        )
        .handle("eraseEndUser", ({ path }) => rights.erase(path.id))
        .handle("getErasure", ({ path }) => rights.getErasure(path.id))
    )
  })
)
