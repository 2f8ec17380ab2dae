import { readFile } from "node:fs/promises"
import { describe, expect, layer, it as plain } from "@effect/vitest"
import { Effect, Metric, MetricBoundaries, Schema } from "effect"
import { AiPurpose } from "../../schema/AiRuns.ts"
import { pagePaths } from "../../src/pages/Pages.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { prometheusText } from "../../src/platform/telemetry/Prometheus.ts"
import { repPeer } from "../hub/HubTools.ts"
import { endpoints } from "../support/Endpoints.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, send, sendJson, testApp, tokenOf } from "../support/TestApp.ts"

const authorization = "Bearer test-metrics-token"

const scrape = Effect.map(send("GET", "/metrics", { headers: { authorization } }), ({ text }) => text)

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const parse = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, key = "", text = ""]) => [key, text] as const
    )
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value === "+Inf" ? Infinity : value) }]
  })

const membersOf = (samples: ReadonlyArray<Sample>, name: string, labels: Readonly<Record<string, string>>) =>
  samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
  )

const valueOf = (...wanted: Parameters<typeof membersOf>) => membersOf(...wanted)[0]?.value ?? 0

const count = (labels: Readonly<Record<string, string>>) =>
  Effect.map(scrape, (text) => valueOf(parse(text), "casework_http_requests_total", labels))

const routesCounted = Effect.map(scrape, (text) =>
  parse(text).flatMap(({ labels: { route } }) => (route === undefined ? [] : [route]))
)

/** Does something of everything that is counted. */
const makeWork = Effect.gen(function* () {
  const { channels, ticketMessages, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
  const chat = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Chat")
  if (chat === undefined) return yield* Effect.dieMessage("There is no Chat channel")
  const { messageID } = yield* ticketMessagesOnPhone.createTicketMessage({
    payload: { channelID: chat.channelID, message: "What does a new key cost?", uid: "canary-visitor" }
  })
  yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "45 EUR" } })
})

layer(testApp(), { excludeTestServices: true })("The metrics", (it) => {
  it.effect("are only for callers with the token", () =>
    Effect.gen(function* () {
      for (const wrong of ["", "Bearer", "Bearer wrong", `Bearer ${yield* tokenOf("acme-admin")}`]) {
        const { json, status } = yield* send("GET", "/metrics", { headers: { authorization: wrong } })
        expect({ status, json }, wrong).toMatchObject({ status: 401, json: { status: 401 } })
      }
      const { headers, status } = yield* send("GET", "/metrics", { headers: { authorization } })
      expect(status).toBe(200)
      expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    })
  )

  it.effect("count requests by the pattern of their route, and all others as one", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const known = { method: "GET", route: "/api/Actions/:id", status: "404" }
      const unknown = { method: "GET", route: "unmatched", status: "404" }
      const before = [yield* count(known), yield* count(unknown)] as const
      // Other tests of the same process have routes of their own, whose counts are still there.
      const left = new Set(yield* routesCounted)
      for (const id of [999_991, 999_992]) yield* sendJson("GET", `/api/Actions/${id}`, { token })
      for (const path of ["/a/1", "/b?x=canary-query", "/c/canary-path"]) yield* sendJson("GET", path, { token })
      expect(yield* count(known)).toBe(before[0] + 2)
      expect(yield* count(unknown)).toBe(before[1] + 3)
      const patterns = endpoints
        .map(({ path }) => path)
        .concat(
          "unmatched",
          "/docs",
          "/openapi.json",
          "/reset-password",
          "/chatHub",
          "/chatHub/negotiate",
          ...pagePaths
        )
      expect(yield* routesCounted).toContain("/api/Actions/:id")
      expect((yield* routesCounted).filter((route) => !patterns.includes(route) && !left.has(route))).toEqual([])
    })
  )

  it.scoped("have every name that the dashboard asks for, with the labels that it groups by", () =>
    Effect.gen(function* () {
      yield* makeWork
      yield* repPeer("acme-agent")
      const samples = yield* eventually(Effect.map(scrape, parse), (all) => {
        const sent = valueOf(all, "casework_deliveries_total", { channel: "Chat", outcome: "sent" })
        const asked = valueOf(all, "casework_ai_calls_total", { purpose: "Spam", outcome: "succeeded" })
        const done = valueOf(all, "casework_jobs_total", { kind: "RunPipeline", outcome: "succeeded" })
        const connected = valueOf(all, "casework_hub_connections", { who: "representative" })
        // The database check is given up after two seconds when the database is too busy.
        const isUp = valueOf(all, "casework_database_up", {}) === 1
        return sent > 0 && asked > 0 && done > 0 && connected === 1 && isUp
      })
      expect(valueOf(samples, "process_resident_memory_bytes", {})).toBeGreaterThan(1e7)
      expect(valueOf(samples, "process_cpu_seconds_total", {})).toBeGreaterThan(0)
      const dashboard = yield* Effect.promise(() => readFile("src/platform/telemetry/grafana.json", "utf8"))
      const queries = [...dashboard.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
        String(JSON.parse(text))
      )
      expect(queries.length).toBeGreaterThan(25)
      for (const query of queries) {
        const names = query.match(/\b(?:casework|process|nodejs)_\w+/g) ?? []
        if (query !== "prometheus") expect(names.length, query).toBeGreaterThan(0)
        for (const name of names) {
          const found = samples.filter((sample) => sample.name === name)
          expect(found.length, `${name} in ${query}`).toBeGreaterThan(0)
          const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/))
          const given = query.match(/(?<=[{,])\w+(?==~?")/g) ?? []
          for (const label of [...grouped, ...given].filter((label) => label !== "instance")) {
            expect(Object.keys(found[0]?.labels ?? {}), `${label} of ${name} in ${query}`).toContain(label)
          }
        }
      }
    })
  )

  it.effect("count the runs of a job kind from 0, so that its first failure can be seen", () =>
    Effect.gen(function* () {
      // A kind that no other test of this process has run.
      const kind = "NeverRun"
      yield* Effect.flatMap(Jobs, (jobs) => jobs.handle({ kind, payload: Schema.Void }, () => Effect.void))
      const samples = parse(yield* scrape)
      const runsOf = (kind: string) => membersOf(samples, "casework_jobs_total", { kind })
      const outcomes = ["continued", "failed", "interrupted", "retried", "succeeded"]
      expect(runsOf(kind).map(({ labels, value }) => [labels["outcome"], value])).toEqual(
        expect.arrayContaining(outcomes.map((outcome) => [outcome, 0]))
      )
      const kinds = samples.flatMap(({ labels, name }) => (name === "casework_jobs_running" ? labels["kind"] : []))
      expect(kinds).toContain("RunPipeline")
      for (const each of kinds) expect(runsOf(each ?? ""), each).toHaveLength(outcomes.length)
    })
  )

  it.effect("have every outcome of a model call from the start", () =>
    Effect.gen(function* () {
      const samples = parse(yield* scrape)
      for (const purpose of AiPurpose.literals) {
        const asked = membersOf(samples, "casework_ai_calls_total", { purpose }).map(({ labels }) => labels["outcome"])
        expect(asked.sort(), purpose).toEqual(["failed", "rejected", "succeeded"])
        const told = membersOf(samples, "casework_ai_tokens_total", { purpose }).map(
          ({ labels }) => labels["direction"]
        )
        expect(told.sort(), purpose).toEqual(["input", "output"])
      }
    })
  )

  it.effect("say nothing about anybody", () =>
    Effect.gen(function* () {
      const text = yield* scrape
      // Without the values: a sum may have any digits.
      expect(text.replace(/ \S+$/gm, "")).not.toMatch(/canary|acme|@|203\.0/i)
      // Only words of the code and statuses, nothing that a caller chose; other tests of this process left theirs.
      for (const label of ["kind", "purpose", "outcome", "channel", "status"]) {
        const values = parse(text).flatMap(({ labels }) => labels[label] ?? [])
        for (const value of values) expect(value, label).toMatch(/^(?:[A-Za-z_]+|[1-5][0-9]{2})$/)
      }
    })
  )
})

layer(testApp({ METRICS_TOKEN: "" }), { excludeTestServices: true })("Without METRICS_TOKEN", (it) => {
  it.effect("there are no metrics, whoever asks", () =>
    Effect.gen(function* () {
      for (const headers of [{}, { authorization }, { authorization: "Bearer " }]) {
        expect((yield* send("GET", "/metrics", { headers })).status).toBe(404)
      }
    })
  )
})

describe("The text for Prometheus", () => {
  plain("escapes labels, adds up buckets and has lines for help and type", () => {
    const counter = Metric.counter("test_things_total", { description: "Things\nand more", incremental: true })
    Metric.tagged(counter, "name", 'a "b"\\\n').unsafeUpdate(2, [])
    const histogram = Metric.histogram("test_seconds", MetricBoundaries.fromIterable([1, 2]), "Time")
    for (const value of [0.5, 1.5, 9]) histogram.unsafeUpdate(value, [])
    const text = prometheusText(Metric.unsafeSnapshot())
    expect(text).toContain(
      '# HELP test_things_total Things\\nand more\n# TYPE test_things_total counter\ntest_things_total{name="a \\"b\\"\\\\\\n"} 2\n'
    )
    expect(text).toContain(`# TYPE test_seconds histogram
test_seconds_bucket{le="1"} 1
test_seconds_bucket{le="2"} 2
test_seconds_bucket{le="+Inf"} 3
test_seconds_sum 11
test_seconds_count 3
`)
  })
})
