import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CustomerRepID } from "../../schema/Ids.ts"
import { field, fieldsOf, listIn, numberIn, textIn } from "../support/Fields.ts"
import { client, headerOf, login, sendJson, testApp } from "../support/TestApp.ts"

const password = "Demo-Pass-1"

const pathsOf = (json: unknown) =>
  listIn(json, "details")
    .map((detail) => textIn(detail, "path"))
    .sort()

layer(testApp(), { excludeTestServices: true })("Representatives", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { json, status } = yield* sendJson("POST", "/customerReps", {
        token,
        body: {
          username: "jane.doe",
          password,
          name: "Jane Doe",
          email: "jane@acme.example",
          phoneNumber: "ext. 17",
          otherDetails: "Mondays",
          timeZone: "w. europe standard TIME",
          emailSignatureHTML: "<b>Jane</b><script>1</script>",
          emailSignatureText: "Jane"
        }
      })
      expect(status).toBe(200)
      const { representatives } = yield* client(token)
      const created = yield* representatives.getCustomerRep({
        path: { id: CustomerRepID.make(numberIn(json, "customerRepID")) }
      })
      expect(json).toEqual({
        customerRepID: created.customerRepID,
        customerID: created.customerID,
        username: "jane.doe",
        name: "Jane Doe",
        email: "jane@acme.example",
        phoneNumber: "ext. 17",
        otherDetails: "Mondays",
        emailSignatureHTML: "<b>Jane</b><script>1</script>",
        emailSignatureText: "Jane",
        timeZone: "W. Europe Standard Time",
        role: "Agent"
      })
      const path = { id: created.customerRepID }
      const changed = yield* sendJson("PUT", `/customerReps/${path.id}`, {
        token,
        body: { Name: "Jane Roe", email: null, otherDetails: "", timezone: "utc", password: "Other-Pass-2" }
      })
      expect([changed.status, changed.text]).toEqual([204, ""])
      expect(yield* representatives.getCustomerRep({ path })).toEqual({
        ...created,
        name: "Jane Roe",
        email: null,
        otherDetails: null,
        timeZone: "UTC"
      })
      expect(yield* login("jane.doe", password)).toBeTruthy()
      yield* representatives.deleteCustomerRep({ path })
      for (const [method, body] of [["GET"], ["DELETE"], ["PUT", { name: "x" }]] as const) {
        expect((yield* sendJson(method, `/customerReps/${path.id}`, { token, body })).status, method).toBe(404)
      }
    })
  )

  it.effect("need only a username and a password", () =>
    Effect.gen(function* () {
      const { representatives } = yield* client(yield* login("acme-admin"))
      const rep = yield* representatives.createCustomerRep({ payload: { username: "bare", password, role: "Admin" } })
      expect(rep).toMatchObject({ username: "bare", name: null, email: null, timeZone: null, role: "Admin" })
    })
  )

  it.effect("keep passwords hashed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { representatives } = yield* client(yield* login("acme-admin"))
      const rep = yield* representatives.createCustomerRep({ payload: { username: "hashed", password } })
      const [row] = yield* sql<{ hash: string }>`
        select password_hash as hash from customer_rep
        where customer_id = ${rep.customerID} and customer_rep_id = ${rep.customerRepID}`
      expect(row?.hash).toMatch(/^\$argon2id\$/)
    })
  )

  it.effect("have usernames that are unique in any case, even across customers", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { representatives } = yield* client(token)
      const create = (username: string) => sendJson("POST", "/customerReps", { token, body: { username, password } })
      expect((yield* create("Globex-ADMIN")).status).toBe(409)
      expect((yield* create("ACME-agent")).status).toBe(409)
      const rep = yield* representatives.createCustomerRep({ payload: { username: "Unique", password } })
      const path = { id: rep.customerRepID }
      const rename = (username: string) => representatives.updateCustomerRep({ path, payload: { username } })
      expect(yield* Effect.flip(rename("initech-admin"))).toMatchObject({ _tag: "Conflict" })
      yield* rename("UNIQUE")
      yield* representatives.deleteCustomerRep({ path })
      expect((yield* create("unique")).status).toBe(200)
    })
  )

  it.effect("name every wrong field", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const create = (body: unknown) => sendJson("POST", "/customerReps", { token, body })
      const wrong = yield* create({
        username: "with space",
        password: "weak",
        email: "nobody",
        phoneNumber: "1".repeat(51),
        role: "Boss",
        timeZone: "Europe/Vienna",
        name: 5
      })
      expect(wrong.status).toBe(400)
      expect(pathsOf(wrong.json)).toEqual(["email", "name", "password", "phoneNumber", "role", "timeZone", "username"])
      expect(pathsOf((yield* create({})).json)).toEqual(["password", "username"])
      for (const username of ["", "tab\there", "bell\u0007", "zero\u200bwidth", "x".repeat(101)]) {
        const answer = yield* create({ username, password })
        expect([answer.status, ...pathsOf(answer.json)], JSON.stringify(username)).toEqual([400, "username"])
      }
      for (const timeZone of ["Europe/Vienna", "Nowhere Standard Time"]) {
        const answer = yield* create({ username: "zoned", password, timeZone })
        expect([answer.status, ...pathsOf(answer.json)], timeZone).toEqual([400, "timeZone"])
      }
      const { representatives } = yield* client(token)
      const own = yield* representatives.listCustomerReps({ urlParams: { search: "acme-admin" } })
      const url = `/customerReps/${own.items[0]?.customerRepID}`
      const body = { email: "nobody", timeZone: "Nowhere Standard Time" }
      const change = yield* sendJson("PUT", url, { token, body })
      expect([change.status, ...pathsOf(change.json)]).toEqual([400, "email", "timeZone"])
      expect((yield* representatives.listCustomerReps({ urlParams: { search: "zoned" } })).totalCount).toBe(0)
    })
  )

  it.effect("are listed in pages, searched and sorted", () =>
    Effect.gen(function* () {
      const token = yield* login("globex-admin")
      const { representatives } = yield* client(token)
      const people = [
        { username: "g-1", name: "Zoe Needle", email: "a@globex.example" },
        { username: "NEEDLE-2", name: "adam", email: "b@globex.example" },
        { username: "g-3", name: "Bea 100%", email: "my.needle@globex.example" }
      ]
      for (const person of people) yield* representatives.createCustomerRep({ payload: { ...person, password } })
      const list = (query: string) =>
        Effect.map(sendJson("GET", `/customerReps${query}`, { token }), ({ json }) => json)
      const found = yield* list("?SEARCH=%20neEDle%20&pageSize=2&sortby=USERNAME&sortOrder=DESC")
      expect(Object.keys(fieldsOf(found))).toEqual(["items", "totalCount", "pageNumber", "pageSize"])
      expect(found).toMatchObject({ totalCount: 3, pageNumber: 1, pageSize: 2 })
      expect(listIn(found, "items").map((item) => field(item, "username"))).toEqual(["NEEDLE-2", "g-3"])
      const all = yield* list("")
      expect(listIn(all, "items").map((item) => field(item, "name"))).toEqual([
        "adam",
        "Bea 100%",
        "Globex Admin",
        "Zoe Needle"
      ])
      expect(all).toMatchObject({ totalCount: 4, pageNumber: 1, pageSize: 20 })
      expect(yield* list("?search=0%25")).toMatchObject({ totalCount: 1 })
      expect(yield* list("?search=_eedle")).toMatchObject({ totalCount: 0 })
      expect(yield* list("?search=acme")).toMatchObject({ totalCount: 0 })
      expect(yield* list("?search=%20")).toMatchObject({ totalCount: 4 })
      for (const sortBy of Object.keys(fieldsOf(listIn(all, "items")[0]))) {
        expect((yield* sendJson("GET", `/customerReps?sortBy=${sortBy}`, { token })).status, sortBy).toBe(200)
      }
      expect((yield* sendJson("GET", "/customerReps?sortBy=password", { token })).status).toBe(400)
    })
  )

  it.effect("are served under /api as well", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const [plain, aliased] = [
        yield* sendJson("GET", "/customerReps", { token }),
        yield* sendJson("GET", "/API/customerreps/", { token })
      ]
      expect([aliased.status, aliased.text]).toEqual([200, plain.text])
    })
  )

  it.effect("cannot be seen or changed by another customer", () =>
    Effect.gen(function* () {
      const acme = yield* client(yield* login("acme-admin"))
      const token = yield* login("initech-admin")
      const { items } = yield* acme.representatives.listCustomerReps({ urlParams: { search: "acme-agent" } })
      const { customerRepID: id } = yield* Effect.fromNullable(items[0])
      const requests = [
        ["GET", ""],
        ["PUT", "", { name: "stolen" }],
        ["DELETE", ""],
        ["PUT", "/change-password", { customerRepID: id, newPassword: "Stolen-Pass-1" }],
        ["GET", "/signatures"],
        ["GET", "/signatures/en"],
        ["POST", "/signatures", { lang: "en" }],
        ["DELETE", "/signatures/en"]
      ] as const
      for (const [method, path, body] of requests) {
        const answer = yield* sendJson(method, `/customerReps/${id}${path}`, { token, body })
        expect(answer.status, `${method} ${path}`).toBe(404)
      }
      expect(yield* acme.representatives.getCustomerRep({ path: { id } })).toEqual(items[0])
      expect(yield* login("acme-agent", password)).toBeTruthy()
    })
  )

  it.effect("carry an ETag that guards a change", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { representatives } = yield* client(token)
      const rep = yield* representatives.createCustomerRep({ payload: { username: "guarded", password } })
      const path = `/customerReps/${rep.customerRepID}`
      const etag = headerOf(yield* sendJson("GET", path, { token }), "etag")
      const headers = { "if-match": etag }
      expect((yield* sendJson("PUT", path, { token, headers, body: { name: "first" } })).status).toBe(204)
      expect((yield* sendJson("PUT", path, { token, headers, body: { name: "second" } })).status).toBe(412)
      expect((yield* sendJson("DELETE", path, { token, headers })).status).toBe(412)
    })
  )
})
