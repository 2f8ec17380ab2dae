import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { sendReady } from "../platform/database/ReadyJson.ts"
import { AiRuns } from "./AiRuns.ts"

export const AiRunsHttp = HttpApiBuilder.group(CaseworkApi, "aiRuns", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* AiRuns
    return handlers
      .handle("listAiRuns", ({ urlParams }) => Effect.map(runs.list(urlParams), sendReady))
      .handle("summarizeAiRuns", ({ urlParams }) => runs.summarize(urlParams))
      .handle("getAiRun", ({ path }) => runs.get(path.id))
      .handle("replayAiRun", ({ path, payload }) => runs.replay(path.id, payload))
  })
)
