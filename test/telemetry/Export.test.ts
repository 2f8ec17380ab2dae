import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { jobKind } from "../../src/platform/queue/JobKind.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { ExportIntervals } from "../../src/platform/telemetry/Telemetry.ts"
import { repPeer } from "../hub/HubTools.ts"
import { eventually } from "../support/Eventually.ts"
import { attributesOf, OtlpCollector } from "../support/OtlpCollector.ts"
import { client, login, send, sendJson, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const soon = Duration.millis(100)

const appWith = (collector: Layer.Layer<OtlpCollector>) =>
  Layer.unwrapEffect(
    Effect.map(OtlpCollector, ({ url }) =>
      testNode(
        TestDatabase,
        { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b, X-Key=k" },
        // The process's own output stays silent; what is exported does not depend on it.
        Layer.merge(Logger.remove(Logger.defaultLogger), Logger.minimumLogLevel(LogLevel.Info))
      )
    )
  ).pipe(
    Layer.provide(Layer.succeed(ExportIntervals, { traces: soon, metrics: soon, logs: soon })),
    Layer.provideMerge(collector)
  )

const traceId = "0af7651916cd43dd8448eb211c80319c"

const spanThat = (isWanted: (span: Readonly<Record<string, unknown>>) => boolean) =>
  Effect.flatMap(OtlpCollector, ({ spans }) =>
    eventually(
      Effect.sync(() => spans().find(isWanted)),
      (span) => span !== undefined
    )
  )

const spanNamed = (name: string) => spanThat((span) => span["name"] === name)

const Nothing = Schema.Struct({})
const broken = jobKind({ kind: "BrokenForTest", payload: Nothing })

layer(appWith(OtlpCollector.layer), { excludeTestServices: true })("A collector", (it) => {
  it.effect("sees a request in the trace of its caller, with its customer and its service functions", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      yield* sendJson("GET", "/api/Actions/1?verbose=yes", {
        token,
        headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "x-request-id": "asked-1" }
      })
      const span = yield* spanNamed("GET /api/Actions/:id")
      expect(span).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331", kind: 2 })
      expect(attributesOf(span ?? {})).toEqual({
        "http.request.method": "GET",
        "http.route": "/api/Actions/:id",
        "http.response.status_code": 200,
        "casework.request_id": "asked-1",
        "casework.customer_id": 1
      })
      const service = yield* spanNamed("Actions.get")
      expect(service).toMatchObject({ traceId, parentSpanId: span?.["spanId"] })
      const statement = yield* spanThat(({ parentSpanId }) => parentSpanId === service?.["spanId"])
      expect(statement?.["name"]).toBe("sql.execute")
    })
  )

  it.effect("sees a job, linked to the request that enqueued it", () =>
    Effect.gen(function* () {
      const { channels, ticketMessagesOnPhone } = yield* client(yield* login("acme-admin"))
      const channel = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Email")
      if (channel === undefined) return expect.fail("There is no Email channel")
      yield* ticketMessagesOnPhone.createTicketMessage({
        payload: { channelID: channel.channelID, message: "The heating is cold", fromAddress: "maria@mail.example" }
      })
      const request = yield* spanNamed("POST /ticketMessages/create-new")
      const job = yield* spanNamed("job RunPipeline")
      expect(job).toMatchObject({ links: [{ traceId: request?.["traceId"] }], kind: 5 })
      expect(job?.["traceId"]).not.toBe(request?.["traceId"])
      expect(attributesOf(job ?? {})).toMatchObject({ "casework.customer_id": 1, "casework.job_kind": "RunPipeline" })
      yield* spanThat(({ name, traceId }) => name === "ModelCalls.ask" && traceId === job?.["traceId"])
    })
  )

  it.effect("sees a connection to the hub by its route, and never its URL, which has the token", () =>
    Effect.gen(function* () {
      const { spans } = yield* OtlpCollector
      yield* Effect.scoped(repPeer("acme-agent"))
      yield* spanNamed("GET /chatHub")
      expect(spans().filter(({ name }) => String(name).startsWith("http.server"))).toEqual([])
      expect(JSON.stringify(spans())).not.toContain("access_token")
    })
  )

  it.effect("sees metrics, and the log with the trace of its request", () =>
    Effect.gen(function* () {
      const { headers, logs, metrics } = yield* OtlpCollector
      yield* sendJson("GET", "/openapi.json", { headers: { "x-request-id": "asked-2" } })
      const entry = yield* eventually(
        Effect.sync(() => logs().find((log) => attributesOf(log)["requestId"] === "asked-2")),
        (log) => log !== undefined
      )
      expect(attributesOf(entry ?? {})).toMatchObject({ method: "GET", route: "/openapi.json", status: 200 })
      const span = yield* spanNamed("GET /openapi.json")
      expect(entry).toMatchObject({ severityText: "INFO", traceId: span?.["traceId"], spanId: span?.["spanId"] })
      yield* eventually(
        Effect.sync(() => metrics().map(({ name }) => name)),
        (all) =>
          ["casework_http_requests_total", "process_resident_memory_bytes", "casework_jobs_total"].every((name) =>
            all.includes(name)
          )
      )
      expect(headers().at(-1)).toMatchObject({ "x-tenant": "a b", "x-key": "k" })
    })
  )

  it.effect("sees nothing outside of requests and jobs, and no probes", () =>
    Effect.gen(function* () {
      const { logs, spans } = yield* OtlpCollector
      const sql = yield* SqlClient.SqlClient
      const authorization = "Bearer test-metrics-token"
      for (const path of ["/health/live", "/health/ready", "/metrics"]) {
        expect((yield* send("GET", path, { headers: { authorization } })).status).toBe(200)
      }
      // As the polling for work does, several times a second.
      yield* sql`select 'of nobody' as words`
      yield* Effect.withSpan(sql`select 'of nobody, in a function' as words`, "Somebody.looks")
      yield* sendJson("GET", "/openapi.json", { headers: { "x-request-id": "after-the-probes" } })
      yield* spanThat((span) => attributesOf(span)["casework.request_id"] === "after-the-probes")
      yield* eventually(
        Effect.sync(() => logs().filter((log) => attributesOf(log)["route"] === "/metrics")),
        (lines) => lines.length > 0
      )
      const all = spans()
      expect(JSON.stringify(all)).not.toContain("of nobody")
      const byID = new Map(all.map((span) => [span["spanId"], span]))
      const alone = all.filter(({ kind, parentSpanId }) => !byID.has(parentSpanId) && kind !== 2 && kind !== 5)
      // A span whose parent comes with the next export is not alone for long.
      const stillAlone = Effect.sync(() => {
        const known = new Set(spans().map(({ spanId }) => spanId))
        return alone.filter(({ parentSpanId }) => !known.has(parentSpanId)).map(({ name }) => name)
      })
      expect(yield* eventually(stillAlone, (names) => names.length === 0)).toEqual([])
      expect(all.filter(({ name }) => /GET \/(health|metrics)/.test(String(name)))).toEqual([])
    })
  )

  it.effect("never sees a secret, a word of a message or an address", () =>
    Effect.gen(function* () {
      const { logs, spans, text } = yield* OtlpCollector
      const token = yield* login("acme-admin")
      const jobs = yield* Jobs
      yield* jobs.handle(broken, () =>
        Effect.logError("canary of a log", new Error("canary-in-a-log")).pipe(
          Effect.annotateLogs({ address: "canary@mail.example", text: "canary-annotation" }),
          Effect.zipRight(Effect.die(new Error("canary-in-a-job\n    at canary-frame (x.js:1:1)")))
        )
      )
      yield* jobs.enqueue(broken, CustomerID.make(1), {})
      yield* sendJson("POST", "/api/Auth/login", {
        body: { username: "canary-username", password: "canary-Pass-1", hostname: "canary.example" },
        headers: { "x-forwarded-for": "203.0.113.77" }
      })
      const headers = { "user-agent": "canary-agent", "x-canary": "canary-header", cookie: "canary-cookie=1" }
      yield* sendJson("GET", "/tickets?search=canary-search&UID=canary-uid", { token, headers })
      yield* sendJson("GET", "/api/EndUsers/byUid?uid=canary-uid", { token })
      yield* sendJson("GET", "/api/Nowhere/canary-path?x=canary-query", { token })
      yield* send("GET", "/openapi.json", { headers: { b3: "canary-b3-trace-1", traceparent: "00-canary-canary-01" } })
      yield* sendJson("GET", "/api/File/6f9619ff-8b86-4d01-b42d-00cf4fc964ff", {})
      yield* sendJson("POST", "/api/EndUsers", {
        token,
        body: { FirstName: "canary-name", LastName: "", Email: "no address canary", UIDs: [{ UID: "canary-uid" }] }
      })
      yield* sendJson("POST", "/ticketMessages/create-new", {
        token,
        body: { channelID: 1, subject: "canary-subject", message: "canary-text", fromAddress: "canary@mail.example" }
      })
      yield* send("POST", "/api/Actions", { headers: { authorization: `Bearer ${token}` }, body: '{"canary":' })
      yield* sendJson("GET", "/openapi.json", { headers: { "x-request-id": "the-last" } })
      yield* eventually(
        Effect.sync(() => ({ logs: logs(), spans: spans() })),
        (seen) =>
          seen.logs.some((log) => attributesOf(log)["requestId"] === "the-last") &&
          seen.spans.some(({ name }) => name === "job BrokenForTest") &&
          seen.spans.some((span) => attributesOf(span)["casework.request_id"] === "the-last")
      )
      const exported = text()
      // The constant text of a log line is exported; nothing that came from outside is.
      expect(exported.replaceAll("canary of a log Error", "").match(/.{60}canary.{60}/gi)).toBeNull()
      for (const secret of [token, "203.0.113.77", "6f9619ff-8b86", "Demo-Pass", "maria@mail", "heating"]) {
        expect(exported, secret).not.toContain(secret)
      }
      const failed = spans().find(({ name }) => name === "job BrokenForTest")
      expect(JSON.stringify(failed)).toContain("Export.test.ts")
      expect(failed).toMatchObject({ status: { code: 2 } })
    })
  )
})

layer(appWith(OtlpCollector.silent), { excludeTestServices: true })("A collector that never answers", (it) => {
  it.effect("holds up no request", () =>
    Effect.gen(function* () {
      for (const _ of Array.from({ length: 20 })) expect((yield* send("GET", "/health/ready")).status).toBe(200)
    })
  )
})
