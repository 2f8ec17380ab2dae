import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer, Predicate } from "effect"
import { field } from "./Fields.ts"
import { listening } from "./Listening.ts"

type Json = Readonly<Record<string, unknown>>

const listAt = (value: unknown, key: string): ReadonlyArray<Json> => {
  const list = field(value, key)
  return Array.isArray(list) ? list.filter(Predicate.isReadonlyRecord) : []
}

/** The items under a path of keys, each of which holds a list. */
const under = (values: ReadonlyArray<unknown>, ...keys: ReadonlyArray<string>): ReadonlyArray<Json> =>
  keys
    .reduce<ReadonlyArray<unknown>>((found, key) => found.flatMap((value) => listAt(value, key)), values)
    .filter(Predicate.isReadonlyRecord)

export const attributesOf = (item: Json): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    listAt(item, "attributes").map(({ key, value }) => [
      String(key),
      Predicate.isReadonlyRecord(value) ? Object.values(value)[0] : value
    ])
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
        // A client that breaks off gets no response.
        buffer(request).then(
          (bytes) => {
            bodies.push({ path: request.url ?? "", text: bytes.toString("utf8") })
            headers.push(request.headers)
            if (answers) response.writeHead(200, { "content-type": "application/json" }).end("{}")
          },
          () => undefined
        )
      })
      const port = yield* listening(server, () => server.closeAllConnections())
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
