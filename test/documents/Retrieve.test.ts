import { expect, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import type { DocumentCreate, RetrievalRequest } from "../../schema/Documents.ts"
import { problemPaths } from "../http/ErrorBody.ts"
import { answering } from "../support/Hostile.ts"
import { clientOf, login, sendJson } from "../support/TestApp.ts"
import { retrievalOf, upstreamApp } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

/** Runs a new document, and returns its result and the request that the external API saw. */
const retrieve = (endpoint: string, fields: Partial<DocumentCreate> = {}, payload: RetrievalRequest = {}) =>
  Effect.gen(function* () {
    const upstream = yield* UpstreamServer
    const { documents } = yield* clientOf("acme-admin")
    const id = yield* retrievalOf(endpoint, fields)
    const answer = yield* documents.retrieveDocument({ path: { id }, payload })
    return { answer, seen: yield* Array.last(yield* upstream.requests) }
  })

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`

layer(upstreamApp(), { excludeTestServices: true })("Data retrieval", (it) => {
  it.effect("returns the external API's response, whatever its status", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const headers = { "content-type": "application/json; charset=utf-8" }
      yield* upstream.on("/orders", answering(200, '{"total":"5 €"}', headers))
      const { answer, seen } = yield* retrieve("/orders")
      expect(answer).toMatchObject({ status: 200, contentType: headers["content-type"], body: '{"total":"5 €"}' })
      expect(answer.durationMs).toBeGreaterThanOrEqual(0)
      expect(seen).toMatchObject({ method: "GET", url: "/orders", body: "" })
      expect(seen.headers.authorization).toBeUndefined()
      yield* upstream.on(
        "/broken",
        answering(503, Buffer.from("kaputt \xe4", "latin1"), { "content-type": "text/plain; charset=iso-8859-1" })
      )
      expect((yield* retrieve("broken")).answer).toMatchObject({ status: 503, body: "kaputt ä" })
      yield* upstream.on("/nothing", answering(204, ""))
      expect((yield* retrieve("nothing")).answer).toMatchObject({ status: 204, contentType: null, body: "" })
    })
  )

  it.effect("fills placeholders in the URL, the headers and the body, escaped for each", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      yield* upstream.on("/search/a%2F%22b%22%3Fx%3D1", answering(200, "ok"))
      const { seen } = yield* retrieve(
        "/search/{{term}}?who={{CustomerName}}&x={{unknown}}",
        {
          apiMethod: "POST",
          apiHeaders: '{"X-Term":"{{term}}"}',
          apiBodyTemplate: '{"q":"{{term}}","n":{{count}},"on":{{flag}},"by":{{CustomerName}},"again":"{{again}}"}'
        },
        { variables: { term: 'a/"b"?x=1', count: 3, flag: true, again: "{{term}}" } }
      )
      expect(seen).toMatchObject({
        method: "POST",
        url: "/search/a%2F%22b%22%3Fx%3D1?who=Acme%20Rentals&x={{unknown}}",
        headers: { "x-term": 'a/"b"?x=1', "content-type": "application/json" }
      })
      expect(JSON.parse(seen.body)).toEqual({ q: 'a/"b"?x=1', n: 3, on: true, by: "Acme Rentals", again: "{{term}}" })
    })
  )

  it.effect("escapes values in bodies of forms, XML and every type that holds JSON", () =>
    Effect.gen(function* () {
      const variables = { v: "a&b <c>" }
      const form = { apiMethod: "PUT", apiHeaders: '{"Content-Type":"application/x-www-form-urlencoded"}' } as const
      expect((yield* retrieve("/f", { ...form, apiBodyTemplate: "v={{v}}" }, { variables })).seen).toMatchObject({
        method: "PUT",
        body: "v=a%26b%20%3Cc%3E"
      })
      const xml = { apiMethod: "PATCH", apiHeaders: '{"content-type":"text/xml"}' } as const
      expect((yield* retrieve("/x", { ...xml, apiBodyTemplate: "<v>{{v}}</v>" }, { variables })).seen).toMatchObject({
        method: "PATCH",
        headers: { "content-type": "text/xml" },
        body: "<v>a&amp;b &lt;c&gt;</v>"
      })
      const quote = { variables: { v: 'x","admin":true,"z":"' } }
      for (const type of ["application/x-ndjson", "application/json-seq", "application/jsonlines"]) {
        const lines = { apiMethod: "POST", apiHeaders: JSON.stringify({ "Content-Type": type }) } as const
        const { seen } = yield* retrieve("/l", { ...lines, apiBodyTemplate: '{"q":"{{v}}"}' }, quote)
        expect([type, seen.body]).toEqual([type, JSON.stringify({ q: quote.variables.v })])
      }
    })
  )

  it.effect("joins base and endpoint with one slash, or calls an absolute endpoint", () =>
    Effect.gen(function* () {
      const { url } = yield* UpstreamServer
      const base = { overrideApiBaseUrl: `${url}/v1/` }
      expect((yield* retrieve("//a", base)).seen.url).toBe("/v1/a")
      expect((yield* retrieve("a/b?c", base)).seen.url).toBe("/v1/a/b?c")
      expect((yield* retrieve(`${url}/else`, base)).seen.url).toBe("/else")
    })
  )

  it.effect("uses the document's credentials, else the customer's", () =>
    Effect.gen(function* () {
      const { url } = yield* UpstreamServer
      const { customers } = yield* clientOf("acme-admin")
      yield* customers.updateCustomer({
        payload: {
          apiBaseUrl: `${url}/customer`,
          apiUsername: "käufer",
          apiPassword: "pass:word",
          apiToken: "customer-token",
          apiAuthenticationType: "Basic"
        }
      })
      const inheriting = { overrideApiBaseUrl: null, overrideApiAuthenticationType: null }
      const inherited = yield* retrieve("/x", inheriting)
      expect(inherited.seen).toMatchObject({
        url: "/customer/x",
        headers: { authorization: basic("käufer:pass:word") }
      })
      const authorizationWith = (fields: Partial<DocumentCreate>) =>
        Effect.map(retrieve("/x", fields), ({ seen }) => seen.headers.authorization)
      expect(yield* authorizationWith({ overrideApiAuthenticationType: "None" })).toBeUndefined()
      expect(yield* authorizationWith({ overrideApiAuthenticationType: "Bearer" })).toBe("Bearer customer-token")
      expect(yield* authorizationWith({ overrideApiAuthenticationType: "Bearer", overrideApiToken: "own" })).toBe(
        "Bearer own"
      )
      expect(yield* authorizationWith({ ...inheriting, overrideApiToken: "own" })).toBe("Bearer own")
      expect(yield* authorizationWith({ ...inheriting, overrideApiUsername: "me", overrideApiPassword: "mine" })).toBe(
        basic("me:mine")
      )
      expect(yield* authorizationWith({ ...inheriting, apiHeaders: '{"authorization":"Key 1"}' })).toBe("Key 1")
      yield* customers.updateCustomer({
        payload: { apiBaseUrl: null, apiUsername: null, apiPassword: null, apiToken: null, apiAuthenticationType: null }
      })
      expect(yield* authorizationWith(inheriting).pipe(Effect.flip)).toMatchObject({ status: 400 })
    })
  )

  it.effect("reports what is missing or wrong, and sends nothing", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const { documents } = yield* clientOf("acme-admin")
      const before = (yield* upstream.requests).length
      const refusals = [
        retrieve("/x", { overrideApiAuthenticationType: "Bearer" }),
        retrieve("/x", { overrideApiAuthenticationType: "Basic" }),
        retrieve("/x", { overrideApiBaseUrl: null }),
        retrieve("/x/{{id}}", {}, { variables: { id: ".." } }),
        retrieve("/x", { apiHeaders: '{"x":"{{v}}"}' }, { variables: { v: "a\r\nb: c" } }),
        retrieve("/x", {}, { messageID: 2_147_483_646 })
      ]
      for (const refusal of refusals) expect(yield* Effect.flip(refusal)).toMatchObject({ status: 400 })
      expect(yield* Effect.flip(retrieve("/x", {}, { messageID: 2_147_483_646 }))).toMatchObject({
        message: "messageID is not one of your ticket messages.",
        details: [{ path: "messageID" }]
      })
      const { documentID } = yield* documents.createDocument({ payload: { name: "S", isDataRetrievalProcess: false } })
      expect(yield* Effect.flip(documents.retrieveDocument({ path: { id: documentID }, payload: {} }))).toMatchObject({
        status: 400,
        message: expect.stringContaining("static")
      })
      expect(yield* upstream.requests).toHaveLength(before)
    })
  )

  it.effect("accepts a request without a body, and refuses variables that are no plain values", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      yield* upstream.on("/plain", answering(200, "ok"))
      const token = yield* login("acme-agent")
      const path = `/api/Documents/${yield* retrievalOf("/plain")}/retrieve`
      expect((yield* sendJson("POST", path, { token })).json).toMatchObject({ status: 200, body: "ok" })
      expect((yield* sendJson("POST", path, { token, body: { MessageID: null, Variables: null } })).status).toBe(200)
      const answer = yield* sendJson("POST", path, { token, body: { messageID: "x", variables: { a: {} } } })
      expect([answer.status, problemPaths(answer)?.map((at: string) => at.split(".")[0])]).toEqual([
        400,
        expect.arrayContaining(["messageID", "variables"])
      ])
    })
  )

  it.effect("runs again even if an Idempotency-Key repeats", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const token = yield* login("acme-admin")
      const path = `/api/Documents/${yield* retrievalOf("/again")}/retrieve`
      const headers = { "idempotency-key": "again" }
      let count = 0
      yield* upstream.on("/again", (_, response) => {
        count += 1
        response.end(String(count))
      })
      expect((yield* sendJson("POST", path, { token, body: {}, headers })).json).toMatchObject({ body: "1" })
      const second = yield* sendJson("POST", path, { token, body: { variables: { a: 1 } }, headers })
      expect(second.json).toMatchObject({ body: "2" })
      expect(second.headers.get("idempotency-replayed")).toBeNull()
    })
  )
})
