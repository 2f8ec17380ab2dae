import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { RepresentativesRepo } from "../../src/representatives/RepresentativesRepo.ts"
import { eventually } from "../support/Eventually.ts"
import { client, login, sendJson, testApp } from "../support/TestApp.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

const rounds = [
  { admin: "acme-admin", method: "DELETE", body: undefined, headers: {} },
  { admin: "globex-admin", method: "PUT", body: { role: "Agent" }, headers: {} },
  // A conditional request sees the snapshot of its start: it must notice the other request all the same.
  { admin: "initech-admin", method: "DELETE", body: undefined, headers: { "if-match": "*" } }
]

layer(testApp(), { excludeTestServices: true })("Two Admins who delete or demote each other at once", (it) => {
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

// The embedded database has one connection, so nobody waits for a row there.
if (onPostgres) {
  layer(TestDatabase, { excludeTestServices: true })("Two simultaneous locks on a customer's Admins", (it) => {
    it.scoped("never wait for each other, even when somebody becomes an Admin in between", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const repo = yield* RepresentativesRepo
        const customerID = CustomerID.make(1)
        const [early, late] = [CustomerRepID.make(1), CustomerRepID.make(2)]
        const setRole = (role: string, customerRepID: number) => sql`
          update customer_rep set role = ${role} where customer_id = 1 and customer_rep_id = ${customerRepID}`
        const waiting = sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        yield* setRole("Agent", early)
        yield* setRole("Admin", late)
        const [looked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.gen(function* () {
          expect(yield* repo.lockAdmins(customerID)).toEqual([late])
          yield* Deferred.succeed(looked, undefined)
          yield* Deferred.await(goOn)
          return yield* repo.findForUpdate(customerID, early)
        }).pipe(sql.withTransaction, Effect.fork)
        yield* Deferred.await(looked)
        yield* setRole("Admin", early)
        const second = yield* repo.lockAdmins(customerID).pipe(sql.withTransaction, Effect.fork)
        yield* eventually(waiting, (rows) => rows.length > 0)
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(first)
        expect(yield* Fiber.join(second)).toEqual([early, late])
      }).pipe(Effect.provide(RepresentativesRepo.layer))
    )
  })
}
