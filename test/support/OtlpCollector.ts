import { createServer } from "node:http"
import { Context, Effect, Layer } from "effect"

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const listAt = (value: unknown, key: string): ReadonlyArray<Json> => {
  const list = isRecord(value) ? value[key] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** The items under a path of keys, each of which holds a list. */
const under = (values: ReadonlyArray<unknown>, ...keys: ReadonlyArray<string>): ReadonlyArray<Json> =>
  keys
    .reduce<ReadonlyArray<unknown>>((found, key) => found.flatMap((value) => listAt(value, key)), values)
    .filter(isRecord)

export const attributesOf = (item: Json): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    listAt(item, "attributes").map(({ key, value }) => [String(key), isRecord(value) ? Object.values(value)[0] : value])
  )

/** A collector that speaks OTLP over HTTP and keeps what it receives. */
export class OtlpCollector extends Context.Tag("test/OtlpCollector")<
  OtlpCollector,
  {
    readonly url: string
    readonly text: () => string
    readonly spans: () => ReadonlyArray<Json>
    readonly metrics: () => ReadonlyArray<Json>
    readonly logs: () => ReadonlyArray<Json>
    readonly headers: () => ReadonlyArray<NodeJS.Dict<string | ReadonlyArray<string>>>
  }
>() {
  static readonly layer = Layer.suspend(() => collector(true))

  /** Takes everything and never responds. */
  static readonly silent = Layer.suspend(() => collector(false))
}

const collector = (answers: boolean) =>
  Layer.scoped(
    OtlpCollector,
    Effect.gen(function* () {
      const bodies: Array<{ readonly path: string; readonly text: string }> = []
      const headers: Array<NodeJS.Dict<string | ReadonlyArray<string>>> = []
      const server = createServer((request, response) => {
        let text = ""
        request.on("data", (piece) => {
          text += piece
        })
        request.on("end", () => {
          bodies.push({ path: request.url ?? "", text })
          headers.push(request.headers)
          if (answers) response.writeHead(200, { "content-type": "application/json" }).end("{}")
        })
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.async<void>((resume) => {
            server.closeAllConnections()
            server.close(() => resume(Effect.void))
          })
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const sent = (signal: string): ReadonlyArray<unknown> =>
        bodies.filter(({ path }) => path === `/v1/${signal}`).map(({ text }) => JSON.parse(text))
      return {
        url: `http://127.0.0.1:${port}`,
        text: () => bodies.map(({ text }) => text).join("\n"),
        spans: () => under(sent("traces"), "resourceSpans", "scopeSpans", "spans"),
        metrics: () => under(sent("metrics"), "resourceMetrics", "scopeMetrics", "metrics"),
        logs: () => under(sent("logs"), "resourceLogs", "scopeLogs", "logRecords"),
        headers: () => headers
      }
    })
  )
