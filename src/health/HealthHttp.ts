import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Metric, Schema } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Health } from "../../schema/Health.ts"
import { prometheusText } from "../platform/telemetry/Prometheus.ts"
import { sample } from "../platform/telemetry/Sampling.ts"
import { Readiness } from "./Readiness.ts"

const readMetrics = Effect.map(Effect.zipRight(sample, Metric.snapshot), (pairs) =>
  HttpServerResponse.text(prometheusText(pairs), { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

/** Always the same response, so it is encoded only once. */
const ok = HttpServerResponse.unsafeJson(Schema.encodeSync(Health)(new Health({ status: "ok" })))

export const HealthHttp = HttpApiBuilder.group(CaseworkApi, "health", (handlers) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    return handlers
      .handle("live", () => Effect.succeed(ok))
      .handle("ready", () => Effect.as(readiness.check, ok))
      .handle("metrics", () => readMetrics)
  })
)
