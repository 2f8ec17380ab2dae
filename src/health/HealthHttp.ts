import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Health } from "../../schema/Health.ts"
import { Readiness } from "./Readiness.ts"

const ok = new Health({ status: "ok" })

export const HealthHttp = HttpApiBuilder.group(CaseworkApi, "health", (handlers) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    return handlers.handle("live", () => Effect.succeed(ok)).handle("ready", () => Effect.as(readiness.check, ok))
  })
)
