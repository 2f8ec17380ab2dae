import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { JobProgress } from "./JobProgress.ts"

export const JobsHttp = HttpApiBuilder.group(CaseworkApi, "jobs", (handlers) =>
  Effect.gen(function* () {
    const progress = yield* JobProgress
    return handlers.handle("getJob", ({ path }) => progress.get(path.id))
  })
)
