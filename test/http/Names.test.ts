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
  it.effect("of body properties bind without regard to case, also below the top", () =>
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

  it.effect("that differ only in case are one property, and the last one counts as in JSON itself", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { name: "First", NAME: "Second", priority: 1, isActive: true }
      expect((yield* sendJson("POST", "/api/Actions", { token, body })).json).toMatchObject({ name: "Second" })
    })
  )

  it.effect("of query parameters bind without regard to case", () =>
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

  it.effect("given twice in a query are 400", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* sendJson("GET", "/api/Actions?pageNumber=1&PAGENUMBER=2", { token })
      expectError(answer, 400, /pageNumber must be/)
      expect(problemPaths(answer)).toEqual(["pageNumber"])
    })
  )

  it.effect("that a language knows are ignored like every unknown name", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const hostile = `{"name":"Plain","priority":1,"isActive":true,"__proto__":{"operation":"MarkSpam"},
        "constructor":{"prototype":{"polluted":1}},"toString":null,"\\u005f_proto__":{"description":"inherited"}}`
      const answer = yield* sendJson("POST", "/api/Actions?__proto__=1&constructor=2&hasOwnProperty=3", {
        token,
        body: JSON.parse('{"name":"Query","priority":1,"isActive":true}')
      })
      expect(answer.status).toBe(201)
      const created = yield* sendText(token, hostile)
      expect(created.json).toMatchObject({ name: "Plain", operation: "None", description: null })
      expect({}).not.toHaveProperty("polluted")
    })
  )

  it.effect("with missing values are all reported, under the name that the contract spells", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* sendJson("POST", "/api/Actions", { token, body: { PRIORITY: "high", ISACTIVE: 1 } })
      expectError(answer, 400, /name is required/)
      expect(problemPaths(answer)).toEqual(["isActive", "name", "priority"])
    })
  )
})
