import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client, login, sendJson, testApp } from "../support/TestApp.ts"

const rounds = [
  { admin: "acme-admin", method: "DELETE", body: undefined, headers: {} },
  { admin: "globex-admin", method: "PUT", body: { role: "Agent" }, headers: {} },
  // A conditional request sees the snapshot of its start: it must notice the other one all the same.
  { admin: "initech-admin", method: "DELETE", body: undefined, headers: { "if-match": "*" } }
]

layer(testApp(), { excludeTestServices: true })("Two Admins against each other at once", (it) => {
  for (const { admin, body, headers, method } of rounds) {
    it.effect(`leave exactly one: ${method} ${JSON.stringify(headers)}`, () =>
      Effect.gen(function* () {
        const token = yield* login(admin)
        const { representatives } = yield* client(token)
        const { items } = yield* representatives.listCustomerReps({ urlParams: { search: admin } })
        const rival = yield* representatives.createCustomerRep({
          payload: { username: `${admin}-rival`, password: "Demo-Pass-1", role: "Admin" }
        })
        const rivalToken = yield* login(rival.username)
        const against = (id: number | undefined, by: string) =>
          Effect.map(sendJson(method, `/customerReps/${id}`, { token: by, body, headers }), ({ status }) => status)
        const answers = yield* Effect.all(
          [against(rival.customerRepID, token), against(items[0]?.customerRepID, rivalToken)],
          { concurrency: 2 }
        )
        const won = answers.filter((status) => status === 204)
        const lost = answers.filter((status) => [401, 409, 412].includes(status))
        expect([won.length, lost.length], String(answers)).toEqual([1, 1])
      })
    )
  }
})
