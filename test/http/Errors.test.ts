import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { login, sendJson, testApp, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { capturedLog } from "./CapturedLog.ts"
import { expectError, problemPaths } from "./ErrorBody.ts"

layer(testApp(), { excludeTestServices: true })("Errors", (it) => {
  it.effect("list every validation problem at once, and nothing is written", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const before = yield* sendJson("GET", "/api/Actions", { token })
      const body = { name: " ", description: 7, priority: 1.5, operation: "Explode", parameters: [] }
      const answer = yield* sendJson("POST", "/api/Actions", { token, body })
      expectError(answer, 400, /isActive is required/)
      expect(problemPaths(answer)).toEqual(["description", "isActive", "name", "operation", "parameters", "priority"])
      const query = yield* sendJson("GET", "/api/Actions?pageNumber=0&pageSize=201&sortBy=x&sortOrder=up", { token })
      expectError(query, 400, /pageSize must be a whole number from 1 to 200/)
      expect(problemPaths(query)).toEqual(["pageNumber", "pageSize", "sortBy", "sortOrder"])
      for (const wrong of [[], "text", 5, null, true]) {
        expectError(yield* sendJson("POST", "/api/Actions", { token, body: wrong }), 400, /The body must be/)
      }
      expect((yield* sendJson("GET", "/api/Actions", { token })).json).toEqual(before.json)
    })
  )

  it.effect("say what to change in plain words, without schema jargon", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { name: null, priority: "1", isActive: "yes", parameters: 3 }
      const { text } = yield* sendJson("POST", "/api/Actions", { token, body })
      expect(text).not.toMatch(/Expected|actual|readonly|Schema|undefined|NonEmpty|└─/)
      const dates = yield* sendJson("GET", "/api/AiRuns?from=nope", { token })
      expectError(dates, 400, /from must be a date and time, such as 2026-03-01T09:00:00Z\./)
      const report = { clientNames: "x".repeat(513), reportDate: "2026-02-30", caseNumber: 7 }
      const optional = yield* sendJson("POST", "/api/PlaceDescriptionReports", { token, body: report })
      expectError(optional, 400, /clientNames must be at most 512 characters long; /)
      expect(optional.text).not.toMatch(/null|xxx/)
      const long = yield* sendJson("POST", "/api/Actions", { token, body: { name: "x", priority: "1".repeat(5000) } })
      expect(long.text.length).toBeLessThan(1000)
    })
  )

  it.effect("are 401 with a challenge when authentication fails", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const wrong = [
        "Basic YWNtZS1hZG1pbjp4",
        "Bearer",
        "Bearer ",
        "Bearer x y",
        token,
        `Token ${token}`,
        `Bearer ${token}x`
      ]
      for (const authorization of [undefined, ...wrong]) {
        const headers = authorization === undefined ? {} : { authorization }
        const answer = yield* sendJson("GET", "/api/Actions", { headers })
        expectError(answer, 401, /token/)
        expect(answer.headers.get("www-authenticate")).toBe("Bearer")
        expect(answer.text).not.toContain(token)
      }
    })
  )

  it.effect("say when to try again after throttling", () =>
    Effect.gen(function* () {
      const attempt = sendJson("POST", "/api/Auth/login", {
        headers: { "x-forwarded-for": "203.0.113.77" },
        body: { username: "nobody-at-all", password: "Wrong-Pass-1", hostname: "localhost" }
      })
      for (let attempts = 0; attempts < 10; attempts++) expectError(yield* attempt, 401, /./)
      const throttled = yield* attempt
      expectError(throttled, 429, /again/)
      expect(Number(throttled.headers.get("retry-after"))).toBeGreaterThan(0)
    })
  )

  it.effect("are 400 for characters that no text column can hold", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const action = { priority: 1, isActive: true }
      for (const name of ["a\u0000b", "a\ud800b"]) {
        expectError(yield* sendJson("POST", "/api/Actions", { token, body: { ...action, name } }), 400, /Unicode|NUL/)
      }
      const parameters = { key: "k", value: "a\u0000b" }
      const nested = { ...action, name: "Nested", operation: "SetCustomField", parameters }
      expectError(yield* sendJson("POST", "/api/Actions", { token, body: nested }), 400, /Unicode|NUL/)
      const login1 = { username: "a\u0000", password: "x", hostname: "localhost" }
      expectError(yield* sendJson("POST", "/api/Auth/login", { body: login1 }), 400, /Unicode|NUL/)
    })
  )
})

const log = capturedLog()

layer(testNode(TestDatabase, {}, log.layer), { excludeTestServices: true })("An unexpected failure", (it) => {
  it.effect("returns 500 without its cause, which is logged under the request id", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop table action cascade`
      const cases = [
        ["GET", "/api/Actions", "id-1"],
        ["GET", "/api/Actions/1", "id-2"],
        ["DELETE", "/api/Actions/1", "id-3"]
      ] as const
      for (const [method, path, requestId] of cases) {
        const answer = yield* sendJson(method, path, { token, headers: { "x-request-id": requestId } })
        expectError(answer, 500, /unexpected/)
        expect(answer.text).not.toMatch(/relation|select|delete|\.ts|node_modules| at |Sql/i)
        const failures = log.entries().filter(({ annotations }) => annotations["requestId"] === requestId)
        expect(failures.map(({ message }) => message)).toEqual(["unexpected failure", "request"])
        expect(JSON.stringify(failures[0])).toMatch(/relation .*action.* does not exist/)
      }
      expect((yield* sendJson("GET", "/health/live")).status).toBe(200)
    })
  )
})
