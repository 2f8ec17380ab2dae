import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client, login, sendJson, testApp } from "../support/TestApp.ts"

const password = "Demo-Pass-1"

const idOf = (username: string, asker: string) =>
  Effect.gen(function* () {
    const { representatives } = yield* client(yield* login(asker))
    const { items } = yield* representatives.listCustomerReps({ urlParams: { search: username } })
    const rep = items.find((candidate) => candidate.username === username)
    return rep === undefined ? yield* Effect.dieMessage(`There is no ${username}`) : rep.customerRepID
  })

const create = (asker: string, username: string, role: "Admin" | "Agent") =>
  Effect.gen(function* () {
    const { representatives } = yield* client(yield* login(asker))
    const rep = yield* representatives.createCustomerRep({ payload: { username, password, role } })
    return rep.customerRepID
  })

const statusOf = (method: string, path: string, token: string, body?: unknown) =>
  Effect.map(sendJson(method, path, { token, body }), ({ status }) => status)

layer(testApp(), { excludeTestServices: true })("Roles", (it) => {
  it.effect("let an Agent change its own profile and nobody else's", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-agent")
      const own = `/customerReps/${yield* idOf("acme-agent", "acme-agent")}`
      const other = `/customerReps/${yield* idOf("acme-admin", "acme-agent")}`
      expect(yield* statusOf("GET", other, token)).toBe(200)
      expect(yield* statusOf("PUT", own, token, { name: "New Name", role: "Agent" })).toBe(204)
      expect(yield* statusOf("PUT", own, token, { name: "Boss", role: "Admin" })).toBe(403)
      expect(yield* statusOf("PUT", other, token, { name: "Hacked" })).toBe(403)
      expect(yield* statusOf("DELETE", other, token)).toBe(403)
      expect(yield* statusOf("DELETE", own, token)).toBe(403)
      expect(yield* statusOf("POST", "/customerReps", token, { username: "friend", password })).toBe(403)
      expect((yield* sendJson("GET", own, { token })).json).toMatchObject({ name: "New Name", role: "Agent" })
    })
  )

  it.effect("are changed by an Admin, which ends the earlier tokens", () =>
    Effect.gen(function* () {
      const admin = yield* login("acme-admin")
      const path = `/customerReps/${yield* create("acme-admin", "promoted", "Agent")}`
      const asAgent = yield* login("promoted")
      expect(yield* statusOf("PUT", path, admin, { name: "Same role", role: "agent" })).toBe(204)
      expect(yield* statusOf("GET", path, asAgent)).toBe(200)
      expect(yield* statusOf("PUT", path, admin, { role: "Admin" })).toBe(204)
      expect(yield* statusOf("GET", path, asAgent)).toBe(401)
      const asAdmin = yield* login("promoted")
      expect(yield* statusOf("POST", "/customerReps", asAdmin, { username: "by-promoted", password })).toBe(200)
      expect(yield* statusOf("PUT", path, admin, { role: "Agent" })).toBe(204)
      expect(yield* statusOf("GET", path, asAdmin)).toBe(401)
      expect(yield* statusOf("GET", path, yield* login("promoted"))).toBe(200)
    })
  )

  it.effect("leave a customer its last Admin", () =>
    Effect.gen(function* () {
      const token = yield* login("globex-admin")
      const own = `/customerReps/${yield* idOf("globex-admin", "globex-admin")}`
      expect(yield* statusOf("PUT", own, token, { role: "Agent" })).toBe(409)
      expect(yield* statusOf("DELETE", own, token)).toBe(409)
      expect(yield* statusOf("PUT", own, token, { name: "Still there", role: "Admin" })).toBe(204)
      yield* create("globex-admin", "globex-second", "Admin")
      expect(yield* statusOf("DELETE", own, token), "oneself, with another Admin").toBe(409)
      expect(yield* statusOf("PUT", own, token, { role: "Agent" })).toBe(204)
      const second = yield* login("globex-second")
      expect(yield* statusOf("DELETE", own, second)).toBe(204)
    })
  )

  it.effect("end with a deletion, together with tokens, login and list entries", () =>
    Effect.gen(function* () {
      const { representatives } = yield* client(yield* login("acme-admin"))
      const id = yield* create("acme-admin", "leaving", "Agent")
      const token = yield* login("leaving")
      yield* representatives.deleteCustomerRep({ path: { id } })
      expect(yield* statusOf("GET", "/customerReps", token)).toBe(401)
      expect(yield* Effect.flip(login("leaving"))).toMatchObject({ _tag: "Unauthorized" })
      expect((yield* representatives.listCustomerReps({ urlParams: { search: "leaving" } })).items).toEqual([])
    })
  )
})
