import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DocumentID } from "../../schema/Ids.ts"
import { problemPaths } from "../http/ErrorBody.ts"
import { numberIn } from "../support/Fields.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"

const text = { name: "House rules", isDataRetrievalProcess: false }

const retrieval = { name: "Orders", isDataRetrievalProcess: true, apiEndpoint: "https://shop.example/orders" }

const apiFields = {
  overrideApiBaseUrl: "https://shop.example",
  overrideApiUsername: "reader",
  overrideApiPassword: "Passw0rd",
  overrideApiToken: "t0ken",
  overrideApiAuthenticationType: "Bearer",
  apiEndpoint: "/orders",
  apiMethod: "GET",
  apiHeaders: "{}",
  apiBodyTemplate: "{}"
}

const refusals: ReadonlyArray<readonly [body: unknown, paths: ReadonlyArray<string>]> = [
  [{}, ["isDataRetrievalProcess", "name"]],
  [{ ...text, name: " " }, ["name"]],
  [{ ...text, isDataRetrievalProcess: "false" }, ["isDataRetrievalProcess"]],
  [{ ...text, isDataRetrievalProcess: null }, ["isDataRetrievalProcess"]],
  [{ ...text, content: 5, description: {} }, ["content", "description"]],
  [{ ...text, content: "a\u0000b" }, ["content"]],
  [{ ...text, ...apiFields }, Object.keys(apiFields).sort()],
  [{ ...retrieval, apiEndpoint: null }, ["apiEndpoint"]],
  [{ ...retrieval, apiEndpoint: "  " }, ["apiEndpoint"]],
  [{ ...retrieval, apiEndpoint: "ftp://shop.example/x" }, ["apiEndpoint"]],
  [{ ...retrieval, apiEndpoint: "https://{{host}}/x" }, ["apiEndpoint"]],
  [{ ...retrieval, apiEndpoint: "https://user:secret@shop.example/x" }, ["apiEndpoint"]],
  [{ ...retrieval, overrideApiBaseUrl: "shop.example" }, ["overrideApiBaseUrl"]],
  [
    { ...retrieval, apiMethod: "TRACE", overrideApiAuthenticationType: "Digest" },
    ["apiMethod", "overrideApiAuthenticationType"]
  ],
  [{ ...retrieval, overrideApiUsername: "a:b" }, ["overrideApiUsername"]],
  [{ ...retrieval, overrideApiToken: "a\r\nb" }, ["overrideApiToken"]],
  ...[
    "nonsense",
    "[]",
    '"x"',
    "null",
    '{"a":1}',
    '{"a":{"b":"c"}}',
    '{"a b":"c"}',
    '{"":"c"}',
    '{"a":"b\\r\\nHost: evil"}',
    '{"a":"b\\u0000"}',
    '{"a\\r\\nb":"c"}',
    '{"a":"\u20ac"}',
    '{"Host":"evil.example"}',
    '{"content-LENGTH":"1"}',
    '{"Transfer-Encoding":"chunked"}'
  ].map((apiHeaders) => [{ ...retrieval, apiHeaders }, ["apiHeaders"]] as const)
]

layer(testApp(), { excludeTestServices: true })("Document validation", (it) => {
  it.effect("refuses invalid fields and names each of them, on create and on change", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const stored = yield* sendJson("POST", "/api/Documents", { token, body: text })
      const path = `/api/Documents/${numberIn(stored.json, "documentID")}`
      for (const [body, paths] of refusals) {
        for (const answer of [
          yield* sendJson("POST", "/api/Documents", { token, body }),
          yield* sendJson("PUT", path, { token, body })
        ]) {
          expect([body, answer.status, problemPaths(answer)]).toEqual([body, 400, paths])
        }
      }
      expect((yield* sendJson("GET", path, { token })).json).toEqual(stored.json)
    })
  )

  it.effect("takes words in any case and keeps them in one spelling", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { ...retrieval, apiMethod: "pAtCh", overrideApiAuthenticationType: "BEARER" }
      const { json } = yield* sendJson("POST", "/api/Documents", { token, body })
      expect(json).toMatchObject({ apiMethod: "PATCH", overrideApiAuthenticationType: "Bearer" })
    })
  )

  it.effect("takes empty texts for API fields as null", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const empty = Object.fromEntries(Object.keys(apiFields).map((field) => [field, ""]))
      const { json, status } = yield* sendJson("POST", "/api/Documents", { token, body: { ...text, ...empty } })
      const none = Object.fromEntries(Object.keys(apiFields).map((field) => [field, null]))
      expect([status, json]).toEqual([200, expect.objectContaining(none)])
    })
  )

  it.effect("clears the API of a document that becomes static", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("acme-admin")
      const token = yield* login("acme-admin")
      const { json } = yield* sendJson("POST", "/api/Documents", { token, body: { ...retrieval, ...apiFields } })
      const path = { id: DocumentID.make(numberIn(json, "documentID")) }
      yield* documents.updateDocument({ path, payload: text })
      const none = Object.fromEntries(Object.keys(apiFields).map((field) => [field, null]))
      expect(yield* documents.getDocument({ path, urlParams: {} })).toMatchObject({ ...text, ...none })
      const back = yield* Effect.flip(
        documents.updateDocument({ path, payload: { name: "Orders", isDataRetrievalProcess: true } })
      )
      expect(back).toMatchObject({ status: 400, details: [{ path: "apiEndpoint" }] })
    })
  )

  it.effect("requires true or false for replacePlaceholders", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { json } = yield* sendJson("POST", "/api/Documents", { token, body: text })
      const path = `/api/Documents/${numberIn(json, "documentID")}`
      expect((yield* sendJson("GET", `${path}?ReplacePlaceholders=TRUE`, { token })).status).toBe(200)
      const answer = yield* sendJson("GET", `${path}?replacePlaceholders=maybe`, { token })
      expect([answer.status, problemPaths(answer)]).toEqual([400, ["replacePlaceholders"]])
    })
  )
})
