import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { HistorySummaries } from "./HistorySummaries.ts"

export const HistorySummariesHttp = HttpApiBuilder.group(CaseworkApi, "ticketSummaries", (handlers) =>
  Effect.gen(function* () {
    const summaries = yield* HistorySummaries
    return handlers.handle("getHistorySummary", ({ path }) => summaries.get(path.id))
  })
)
