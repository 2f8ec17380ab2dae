import { randomUUID } from "node:crypto"
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, HttpClient, HttpMiddleware } from "@effect/platform"
import { Context, Duration, Effect, Layer, Logger, Option, Redacted, Schedule } from "effect"
import { Settings } from "../settings/Settings.ts"
import { boundedExport } from "./BoundedExport.ts"
import { safeLogger, safeTracer } from "./SafeExport.ts"
import { sample } from "./Sampling.ts"
import { version } from "./Version.ts"

/** How often collected telemetry is sent. */
export class ExportIntervals extends Context.Reference<ExportIntervals>()("casework/ExportIntervals", {
  defaultValue: () => ({
    traces: Duration.seconds(5),
    metrics: Duration.seconds(15),
    logs: Duration.seconds(2)
  })
}) {}

const exporting = (endpoint: string, headers: Readonly<Record<string, string>>, role: string) =>
  Layer.unwrapEffect(
    Effect.map(ExportIntervals, (intervals) => {
      const instance = randomUUID()
      const options = (signal: "traces" | "metrics" | "logs") => ({
        url: `${endpoint}/v1/${signal}`,
        headers,
        exportInterval: intervals[signal],
        shutdownTimeout: "1 second" as const,
        resource: {
          serviceName: "casework",
          serviceVersion: version,
          attributes: { "service.instance.id": instance, "casework.role": role }
        }
      })
      const refresh = sample.pipe(Effect.repeat(Schedule.spaced(intervals.metrics)), Effect.forkScoped)
      return Layer.mergeAll(
        Layer.unwrapScoped(
          Effect.map(OtlpTracer.make(options("traces")), (tracer) => Layer.setTracer(safeTracer(tracer)))
        ),
        Layer.setTracerEnabled(true),
        Logger.addScoped(Effect.map(OtlpLogger.make({ ...options("logs"), excludeLogSpans: true }), safeLogger)),
        OtlpMetrics.layer(options("metrics")),
        Layer.scopedDiscard(refresh)
      )
    })
  ).pipe(
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, boundedExport))),
    Layer.provide(FetchHttpClient.layer)
  )

/**
 * The platform's own request spans would carry addresses, queries and headers. Ours begin in the conventions; outgoing
 * calls are seen in the span of the function that makes them.
 */
const WithoutPlatformSpans = Layer.merge(
  Layer.scopedDiscard(Effect.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true)),
  Layer.scopedDiscard(Effect.locallyScoped(HttpClient.currentTracerDisabledWhen, () => true))
)

/** Exports traces, metrics and logs if there is a collector; without one no spans are made, which saves a quarter. */
export const TelemetryLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ otlpEndpoint, otlpHeaders, role }) =>
    Option.match(otlpEndpoint, {
      onNone: () => Layer.setTracerEnabled(false),
      onSome: (endpoint) =>
        exporting(endpoint, Option.match(otlpHeaders, { onNone: () => ({}), onSome: Redacted.value }), role)
    })
  )
).pipe(Layer.merge(WithoutPlatformSpans))
