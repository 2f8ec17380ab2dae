import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Metric } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Health } from "../../schema/Health.ts"
import { prometheusText } from "../platform/telemetry/Prometheus.ts"
import { sample } from "../platform/telemetry/Sampling.ts"
import { Readiness } from "./Readiness.ts"

const readMetrics = Effect.map(Effect.zipRight(sample, Metric.snapshot), (pairs) =>
  HttpServerResponse.text(prometheusText(pairs), { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

const ok = new Health({ status: "ok" })

export const HealthHttp = HttpApiBuilder.group(CaseworkApi, "health", (handlers) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    return handlers
      .handle("live", () => Effect.succeed(ok))
      .handle("ready", () => Effect.as(readiness.check, ok))
      .handle("metrics", () => readMetrics)
  })
)
