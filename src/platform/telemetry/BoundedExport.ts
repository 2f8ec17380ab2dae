import { HttpClient, HttpClientError } from "@effect/platform"
import { Effect } from "effect"
import { steadyClock } from "../concurrency/SteadyClock.ts"

const longest = "5 seconds"
const mostAtOnce = 4
const quiet = 60_000

/**
 * A collector that hangs must cost neither memory nor attention: few exports at once, each with a timeout, and one
 * warning a minute.
 */
export const boundedExport = (client: HttpClient.HttpClient) => {
  let underWay = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  const warn = Effect.flatMap(steadyClock, (clock) => {
    const now = clock()
    if (now - warnedAt < quiet) return Effect.void
    warnedAt = now
    return Effect.logWarning(
      "telemetry could not be exported: check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
    )
  })

  return HttpClient.transform(client, (exporting, request) => {
    const refused = new HttpClientError.RequestError({
      request,
      reason: "Transport",
      description: "No response in time"
    })
    return Effect.suspend(() => {
      if (underWay >= mostAtOnce) return Effect.fail(refused)
      underWay += 1
      return exporting.pipe(
        Effect.timeoutFail({ duration: longest, onTimeout: () => refused }),
        Effect.ensuring(
          Effect.sync(() => {
            underWay -= 1
          })
        )
      )
    }).pipe(Effect.tapError(() => warn))
  })
}
