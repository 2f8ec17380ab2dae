import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CustomerRepID } from "../../schema/Ids.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { client, login, sendJson, testApp } from "../support/TestApp.ts"

const password = "Demo-Pass-1"
const newPassword = "Other-Pass-2"

const create = (username: string) =>
  Effect.gen(function* () {
    const { representatives } = yield* client(yield* login("acme-admin"))
    const rep = yield* representatives.createCustomerRep({ payload: { username, password } })
    return rep.customerRepID
  })

const change = (id: CustomerRepID, token: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  sendJson("PUT", `/customerReps/${id}/change-password`, { token, body, headers })

const statusWith = (token: string) => Effect.map(sendJson("GET", "/customerReps", { token }), ({ status }) => status)

layer(testApp(), { excludeTestServices: true })("Changing a password", (it) => {
  it.effect("ends the representative's earlier tokens and is audited", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* create("self-changer")
      const token = yield* login("self-changer")
      const headers = { "x-request-id": "own-password" }
      const { status, text } = yield* change(id, token, { customerRepID: id, newPassword }, headers)
      expect([status, text]).toEqual([204, ""])
      expect(yield* statusWith(token)).toBe(401)
      expect(yield* Effect.flip(login("self-changer", password))).toMatchObject({ _tag: "Unauthorized" })
      expect(yield* statusWith(yield* login("self-changer", newPassword))).toBe(200)
      const rows = yield* sql`
        /* all customers: the request says which one */
        select event, customer_rep_id as "customerRepID" from audit_log where request_id = 'own-password'`
      expect(rows).toEqual([{ event: "PasswordChanged", customerRepID: id }])
    })
  )

  it.effect("is allowed to an Admin for anybody, and to an Agent only for itself", () =>
    Effect.gen(function* () {
      const id = yield* create("changed-by-others")
      const body = { customerRepID: id, newPassword }
      expect((yield* change(id, yield* login("acme-agent"), body)).status).toBe(403)
      expect(yield* statusWith(yield* login("changed-by-others", password))).toBe(200)
      const headers = { "x-request-id": "others-password" }
      expect((yield* change(id, yield* login("acme-admin"), body, headers)).status).toBe(204)
      expect(yield* statusWith(yield* login("changed-by-others", newPassword))).toBe(200)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        /* all customers: the request says which one */
        select event, about_customer_rep as about, r.username as by from audit_log a
        join customer_rep r on r.customer_rep_id = a.customer_rep_id and r.customer_id = a.customer_id
        where request_id = 'others-password'`
      expect(rows).toEqual([{ event: "PasswordChanged", about: id, by: "acme-admin" }])
    })
  )

  it.effect("refuses a weak password and an id that is not the path's", () =>
    Effect.gen(function* () {
      const id = yield* create("unchanged")
      const token = yield* login("acme-admin")
      for (const body of [{ customerRepID: id, newPassword: "weak" }, { customerRepID: id + 1, newPassword }, {}]) {
        expect((yield* change(id, token, body)).status, JSON.stringify(body)).toBe(400)
      }
      expect(yield* statusWith(yield* login("unchanged", password))).toBe(200)
    })
  )

  it.effect("ends tokens on other nodes within seconds", () =>
    Effect.gen(function* () {
      const id = yield* create("known-elsewhere")
      const token = yield* login("known-elsewhere")
      const change = sendJson("PUT", `/customerReps/${id}/change-password`, {
        token,
        body: { customerRepID: id, newPassword }
      })
      const onFirstNode = yield* Effect.map(Effect.context<Effect.Effect.Context<typeof change>>(), (context) =>
        Effect.provide(change, context)
      )
      yield* Effect.gen(function* () {
        expect(yield* statusWith(token)).toBe(200)
        expect((yield* onFirstNode).status).toBe(204)
        yield* eventually(statusWith(token), (status) => status === 401)
      }).pipe(onAnotherNode())
    })
  )
})
