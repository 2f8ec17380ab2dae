import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Endpoint, endpoints } from "../support/Endpoints.ts"
import { sendJson, testApp } from "../support/TestApp.ts"
import { makeProbes } from "./Probes.ts"
import { scripts } from "./Scripts.ts"

/** The statuses that no request of this test can provoke, and where they are tested instead. */
const exceptions: Readonly<Record<string, string>> = {
  "aiRuns.replayAiRun 502": "needs a model that fails: test/ai/AiRuns.test.ts",
  "ticketMessagesOnPhone.detectTopics 502": "needs a model that fails: test/ai/Injection.test.ts",
  "ticketSummaries.getHistorySummary 502": "needs a model that fails: test/ai/Injection.test.ts",
  "mailWebhook.subscribeMail 200": "needs a mail provider: test/mail/Subscriptions.test.ts",
  "mailWebhook.subscribeMail 502": "needs a mail provider that refuses: test/mail/Subscriptions.test.ts",
  "documents.retrieveDocument 200": "needs an API to call: test/documents/Retrieve.test.ts",
  "documents.retrieveDocument 502": "needs an API that fails: test/documents/RetrieveLimits.test.ts",
  "ticketMessageAttachments.uploadAttachment 413": "needs a large file: test/attachments/Attachments.test.ts",
  "placeDescriptionPhotos.uploadPlaceDescriptionPhotos 413": "needs large files: test/places/Photos.test.ts",
  "placeDescriptionRooms.transformPlaceDescriptionRoom 409":
    "needs notes that change while a model writes: test/places/Transform.test.ts",
  "placeDescriptionRooms.transformPlaceDescriptionRoom 502":
    "needs a provider that fails: test/places/Transform.test.ts",
  "health.metrics 404": "needs a service without METRICS_TOKEN: test/telemetry/Metrics.test.ts",
  "health.ready 503": "needs a broken database: test/health/Readiness.test.ts"
}

/** Whether only a fault of the service causes this status. */
const isFault = (status: number) => status === 500

/** Deleting comes last: the others need something to work on. */
const inOrder = [...endpoints].sort((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"))

const pairsOf = ({ id, statuses }: Endpoint) => statuses.map((status) => ({ id, status, pair: `${id} ${status}` }))

layer(testApp(), { excludeTestServices: true })("The statuses of the contract", (it) => {
  it.effect(
    "can all be met, and no others are",
    () =>
      Effect.gen(function* () {
        const tools = yield* makeProbes
        const { ask, probes, seen } = tools
        for (const endpoint of inOrder) {
          for (const status of endpoint.statuses) yield* probes[status]?.(endpoint) ?? Effect.void
          yield* ask(endpoint)
        }
        for (const [pair, script] of Object.entries(scripts(tools))) {
          const { status, text } = yield* script
          expect(status, `${pair}: ${text}`).toBe(Number(pair.split(" ")[1]))
        }

        const listed = endpoints.flatMap(pairsOf)
        const missed = listed.filter(({ pair, status }) => !isFault(status) && !seen.has(pair) && !(pair in exceptions))
        expect(
          missed.map(({ pair }) => pair),
          "listed, but never met"
        ).toEqual([])
        const known = new Set(listed.map(({ pair }) => pair))
        const surprises = [...seen].filter(([pair]) => !known.has(pair)).map(([pair, { text }]) => `${pair}: ${text}`)
        expect(surprises, "met, but not listed").toEqual([])
        const stale = Object.keys(exceptions).filter((pair) => !known.has(pair) || seen.has(pair))
        expect(stale, "exceptions that are none").toEqual([])
      }),
    900_000
  )

  it.effect("include 404 for an unknown path and 405 for a wrong method, with and without a token", () =>
    Effect.gen(function* () {
      for (const token of [undefined, "garbage"]) {
        const options = token === undefined ? {} : { token }
        expect(yield* sendJson("GET", "/api/Nowhere", options)).toMatchObject({ status: 404, json: { status: 404 } })
        const wrongMethod = yield* sendJson("PATCH", "/api/Actions/1", options)
        expect(wrongMethod).toMatchObject({ status: 405, json: { status: 405 } })
        expect(wrongMethod.headers.get("allow")).toBe("DELETE, GET, HEAD, PUT")
      }
    })
  )
})
