import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { login, send, sendJson, testApp } from "../support/TestApp.ts"
import { expectError, problemPaths } from "./ErrorBody.ts"

const sendText = (token: string, body: string) =>
  send("POST", "/api/Actions", {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body
  })

layer(testApp(), { excludeTestServices: true })("Names", (it) => {
  it.effect("bind in bodies without regard to case, at every level", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const created = yield* sendJson("POST", "/api/Actions", {
        token,
        body: { NAME: "Pause", pRIORITY: 3, isactive: true, OPERATION: "Wait", Parameters: { SECONDS: 7 }, unknown: 1 }
      })
      expect(created.status).toBe(201)
      expect(created.json).toMatchObject({ name: "Pause", priority: 3, isActive: true, parameters: { seconds: 7 } })
      expect(created.json).not.toHaveProperty("unknown")
    })
  )

  it.effect("count as one property when they differ only in case, and the last one wins as in JSON", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { name: "First", NAME: "Second", priority: 1, isActive: true }
      expect((yield* sendJson("POST", "/api/Actions", { token, body })).json).toMatchObject({ name: "Second" })
    })
  )

  it.effect("bind in queries without regard to case", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const plain = yield* sendJson("GET", "/api/Actions?pageNumber=2&pageSize=1&sortBy=name&sortOrder=desc", { token })
      const shouted = yield* sendJson("GET", "/api/Actions?PAGENUMBER=2&pagesize=1&SortBy=NAME&sortorder=DESC", {
        token
      })
      expect(plain.status).toBe(200)
      expect(shouted.json).toEqual(plain.json)
    })
  )

  it.effect("are refused with 400 when given twice in a query", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* sendJson("GET", "/api/Actions?pageNumber=1&PAGENUMBER=2", { token })
      expectError(answer, 400, /pageNumber must be/)
      expect(problemPaths(answer)).toEqual(["pageNumber"])
    })
  )

  it.effect("are ignored when unknown, even __proto__ and constructor", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const hostile = `{"name":"Plain","priority":1,"isActive":true,"__proto__":{"operation":"MarkSpam"},
        "constructor":{"prototype":{"polluted":1}},"toString":null,"\\u005f_proto__":{"description":"inherited"}}`
      const answer = yield* sendJson("POST", "/api/Actions?__proto__=1&constructor=2&hasOwnProperty=3", {
        token,
        body: { name: "Query", priority: 1, isActive: true }
      })
      expect(answer.status).toBe(201)
      const created = yield* sendText(token, hostile)
      expect(created.json).toMatchObject({ name: "Plain", operation: "None", description: null })
      expect({}).not.toHaveProperty("polluted")
    })
  )

  it.effect("are reported in the contract's spelling for all missing or wrong values", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* sendJson("POST", "/api/Actions", { token, body: { PRIORITY: "high", ISACTIVE: 1 } })
      expectError(answer, 400, /name is required/)
      expect(problemPaths(answer)).toEqual(["isActive", "name", "priority"])
    })
  )
})
