import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsOf } from "../support/Fields.ts"
import { clientOf, headerOf, login, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"

const newAction = (name: string) =>
  Effect.gen(function* () {
    const token = yield* login("acme-admin")
    const { actions } = yield* clientOf("acme-admin")
    const { actionID } = yield* actions.createAction({ payload: { name, priority: 1, isActive: true } })
    const path = `/api/Actions/${actionID}`
    const etag = headerOf(yield* sendJson("GET", path, { token }), "etag")
    const put = (ifMatch: string, change: object) =>
      sendJson("PUT", path, {
        token,
        headers: { "if-match": ifMatch },
        body: { actionID, name, priority: 1, isActive: true, ...change }
      })
    return { actionID, token, path, etag, put }
  })

layer(testApp(), { excludeTestServices: true })("ETags", (it) => {
  it.effect("are strong, on single resources only, and change with the resource", () =>
    Effect.gen(function* () {
      const { etag, path, put, token } = yield* newAction("Tagged")
      expect(etag).toMatch(/^"[\w-]{20,}"$/)
      expect((yield* sendJson("GET", path, { token })).headers.get("etag")).toBe(etag)
      expect((yield* sendJson("GET", "/api/Actions", { token })).headers.get("etag")).toBeNull()
      expect((yield* put(etag, { priority: 2 })).status).toBe(204)
      expect((yield* sendJson("GET", path, { token })).headers.get("etag")).not.toBe(etag)
    })
  )

  it.effect("are sent whatever the query, unless it changes the content", () =>
    Effect.gen(function* () {
      const { etag, path, token } = yield* newAction("Asked")
      expect((yield* sendJson("GET", `${path}?_=123&sortBy=name`, { token })).headers.get("etag")).toBe(etag)
      const { documents } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { name: "Tagged", content: "{{TopicList}}", isDataRetrievalProcess: false }
      })
      const document = `/api/Documents/${documentID}`
      const tagOf = (query: string) =>
        Effect.map(sendJson("GET", `${document}${query}`, { token }), ({ headers }) => headers.get("etag"))
      const plain = yield* Effect.flatMap(tagOf(""), Effect.fromNullable)
      expect(yield* tagOf("?ReplacePlaceholders=FALSE")).toBe(plain)
      expect(yield* tagOf("?replaceplaceholders=true")).toBeNull()
      const change = yield* sendJson("PUT", `${document}?replacePlaceholders=true`, {
        token,
        headers: { "if-match": plain },
        body: { ...fieldsOf((yield* sendJson("GET", document, { token })).json), description: "x" }
      })
      expect(change.status).toBe(204)
    })
  )

  it.effect("let a caller skip an unchanged resource with 304", () =>
    Effect.gen(function* () {
      const { etag, path, token } = yield* newAction("Cached")
      const ask = (known: string, method = "GET") =>
        sendJson(method, path, { token, headers: { "if-none-match": known } })
      for (const known of [etag, `W/${etag}`, "*", `"other", ${etag}`, `"a",W/${etag} , "b"`]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = yield* ask(known, method)
          expect([known, answer.status, answer.text, answer.headers.get("etag")]).toEqual([known, 304, "", etag])
          expect(answer.headers.get("x-request-id")).not.toBeNull()
        }
      }
      for (const unknown of ['"other"', etag.slice(1, -1), "", "garbage", '"*"']) {
        expect([unknown, (yield* ask(unknown)).status]).toEqual([unknown, 200])
      }
      const missing = yield* sendJson("GET", "/api/Actions/999999", { token, headers: { "if-none-match": "*" } })
      expectError(missing, 404, /no action/)
    })
  )

  it.effect("guard changes: a wrong one gives 412 and nothing is written", () =>
    Effect.gen(function* () {
      const { etag, path, put, token } = yield* newAction("Guarded")
      for (const wrong of ['"other"', `W/${etag}`, etag.slice(1, -1), "", "garbage"]) {
        expectError(yield* put(wrong, { priority: 9 }), 412, /Read it again/)
        const removal = yield* sendJson("DELETE", path, { token, headers: { "if-match": wrong } })
        expectError(removal, 412, /Read it again/)
      }
      expect((yield* sendJson("GET", path, { token })).headers.get("etag")).toBe(etag)
      expect((yield* put(`"other", ${etag}`, { priority: 3 })).status).toBe(204)
      expect((yield* put("*", { priority: 4 })).status).toBe(204)
      expect((yield* sendJson("DELETE", path, { token, headers: { "if-match": "*" } })).status).toBe(204)
    })
  )

  it.effect("are matched only by * on a resource that has none", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const remove = (ifMatch: string) =>
        sendJson("DELETE", "/api/PlaceDescriptionRoomPhotos/999999", { token, headers: { "if-match": ifMatch } })
      expectError(yield* remove("*"), 404, /photo/)
      expectError(yield* remove('"other"'), 412, /has no ETag/)
    })
  )

  it.effect("are checked only after the token, the path and the body", () =>
    Effect.gen(function* () {
      const { actionID, etag, path, put, token } = yield* newAction("Ordered")
      const headers = { "if-match": '"other"' }
      expectError(yield* sendJson("PUT", path, { headers, body: {} }), 401, /token/)
      expectError(yield* sendJson("DELETE", path, { headers, token: "wrong" }), 401, /token/)
      expectError(yield* sendJson("DELETE", "/api/Actions/999999", { headers, token }), 404, /no action/)
      expectError(yield* sendJson("DELETE", "/api/Actions/x", { headers, token }), 400, /whole number/)
      expectError(yield* put(etag, { priority: "x" }), 400, /priority/)
      expectError(yield* put(etag, { actionID: actionID + 1 }), 400, /actionID/)
      const globex = yield* login("globex-admin")
      const foreign = yield* sendJson("DELETE", path, { token: globex, headers: { "if-match": etag } })
      expectError(foreign, 404, /no action/)
    })
  )

  it.effect("let exactly one of two concurrent changes through", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const { etag, path, put, token } = yield* newAction(`Contended ${round}`)
        const answers = yield* Effect.all([put(etag, { priority: 10 }), put(etag, { priority: 20 })], {
          concurrency: "unbounded"
        })
        expect(answers.map(({ status }) => status).sort()).toEqual([204, 412])
        const winner = answers[0]?.status === 204 ? 10 : 20
        expect((yield* sendJson("GET", path, { token })).json).toMatchObject({ priority: winner })
      }
    })
  )

  it.effect("let exactly one of many changes and removals through", () =>
    Effect.gen(function* () {
      const { etag, path, put, token } = yield* newAction("Crowded")
      const removal = sendJson("DELETE", path, { token, headers: { "if-match": etag } })
      const answers = yield* Effect.all(
        [...[1, 2, 3, 4].map((priority) => put(etag, { priority: priority + 10 })), removal],
        {
          concurrency: "unbounded"
        }
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 204)).toHaveLength(1)
      expect(statuses.every((status) => [204, 404, 412].includes(status))).toBe(true)
    })
  )
})
