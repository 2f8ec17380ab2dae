import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ActionPage } from "../../schema/Actions.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"

const list = (token: string, query: string) =>
  Effect.flatMap(sendJson("GET", `/api/Actions?${query}`, { token }), ({ json }) =>
    Schema.decodeUnknown(ActionPage)(json)
  )

layer(testApp(), { excludeTestServices: true })("Paging", (it) => {
  it.effect("counts pages, keeps a total order and leaves nothing out", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("globex-admin")
      const token = yield* login("globex-admin")
      for (let number = 0; number < 13; number++) {
        yield* actions.createAction({ payload: { name: `Same ${number}`, priority: number % 2, isActive: true } })
      }
      const all = yield* list(token, "pageSize=200&sortBy=actionID")
      const { totalCount } = all
      expect(all.items).toHaveLength(totalCount)
      expect(all.totalPages).toBe(1)
      expect((yield* list(token, "")).items).toHaveLength(10)
      for (const sortOrder of ["asc", "desc"]) {
        const seen: Array<number> = []
        const last = Math.ceil(totalCount / 4)
        for (let pageNumber = 1; pageNumber <= last; pageNumber++) {
          const page = yield* list(token, `pageNumber=${pageNumber}&pageSize=4&sortBy=priority&sortOrder=${sortOrder}`)
          expect([page.totalCount, page.totalPages]).toEqual([totalCount, last])
          seen.push(...page.items.map(({ actionID }) => actionID))
        }
        expect([...seen].sort((a, b) => a - b)).toEqual(all.items.map(({ actionID }) => actionID))
      }
    })
  )

  it.effect("returns an empty page beyond the end, with the true count", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const first = yield* list(token, "")
      const far = yield* list(token, "pageNumber=2147483647&pageSize=200")
      expect(far).toEqual({ items: [], totalCount: first.totalCount, totalPages: Math.ceil(first.totalCount / 200) })
    })
  )

  it.effect("sorts by each field of the resource, in any case, and by nothing else", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const field of ["actionID", "NAME", "description", "Priority", "isactive", "OPERATION"]) {
        for (const order of ["ASC", "Desc"]) {
          expect((yield* sendJson("GET", `/api/Actions?sortBy=${field}&sortOrder=${order}`, { token })).status).toBe(
            200
          )
        }
      }
      for (const field of ["customerID", "customer_id", "name;drop", "name desc", "1", "", "__proto__", "toString"]) {
        const answer = yield* sendJson("GET", `/api/Actions?sortBy=${encodeURIComponent(field)}`, { token })
        expectError(answer, 400, /sortBy must be one of actionID, name/)
      }
    })
  )

  it.effect("refuses values that are not numbers or are out of range", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const bad = ["0", "-1", "1.5", "abc", "", "%20", "1e2", "0x10", "99999999999999999999", "NaN", "null", "%00"]
      for (const value of bad) {
        for (const name of ["pageNumber", "pageSize"]) {
          const answer = yield* sendJson("GET", `/api/Actions?${name}=${value}`, { token })
          expectError(answer, 400, new RegExp(`${name} must be a whole number from 1 to`))
        }
      }
      expectError(yield* sendJson("GET", "/api/Actions?pageSize=201", { token }), 400, /1 to 200/)
      expectError(yield* sendJson("GET", "/api/Actions?sortOrder=random", { token }), 400, /asc, desc/)
    })
  )
})
