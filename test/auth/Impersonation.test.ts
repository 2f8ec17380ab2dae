import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { decodeJwt } from "jose"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { fieldsOf, numberIn } from "../support/Fields.ts"
import { statusWith, tokenIn } from "../support/Logins.ts"
import { send, sendJson, testApp } from "../support/TestApp.ts"

const path = "/api/Auth/impersonate-by-customer"

const impersonate = (body: unknown, key = "test-platform-key") =>
  sendJson("POST", path, { body, headers: { "x-platform-key": key } })

const findRep = (username: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ customerID: number; customerRepID: number }>`
      /* all customers: by hand */
      select customer_id as "customerID", customer_rep_id as "customerRepID" from customer_rep
      where username = ${username}`
    return yield* Effect.fromNullable(rows[0])
  })

layer(testApp(), { excludeTestServices: true })("Impersonation", (it) => {
  it.effect("returns a one-hour token that is marked as impersonated, and is audited", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const agent = yield* findRep("acme-agent")
      const answer = yield* sendJson("POST", path, {
        body: agent,
        headers: { "x-platform-key": "test-platform-key", "x-request-id": "asked-by-hand" }
      })
      expect(answer.status).toBe(200)
      const claims = decodeJwt(tokenIn(answer))
      expect(claims).toMatchObject({
        sub: "acme-agent",
        CustomerID: String(agent.customerID),
        CustomerRepID: String(agent.customerRepID),
        Role: "Agent",
        Impersonated: "true"
      })
      expect(numberIn(claims, "exp") - numberIn(claims, "iat")).toBe(60 * 60)
      expect(yield* statusWith(tokenIn(answer))).toBe(200)
      const rows = yield* sql`
        select event, customer_rep_id, request_id from audit_log where customer_id = ${agent.customerID}`
      expect(rows).toEqual([
        { event: "Impersonated", customer_rep_id: agent.customerRepID, request_id: "asked-by-hand" }
      ])
    })
  )

  it.effect("takes the default representative, else the first Admin", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { customerID, customerRepID } = yield* findRep("acme-agent")
      const subject = Effect.map(impersonate({ customerID }), (answer) => decodeJwt(tokenIn(answer)).sub)
      expect(yield* subject).toBe("acme-admin")
      yield* sql`update customer set default_customer_rep_id = ${customerRepID} where customer_id = ${customerID}`
      expect(yield* subject).toBe("acme-agent")
      yield* sql`update customer_rep set deleted_at = now()
        where customer_id = ${customerID} and customer_rep_id = ${customerRepID}`
      expect(yield* subject).toBe("acme-admin")
      expect((yield* impersonate({ customerID, customerRepID })).status).toBe(404)
    })
  )

  it.effect("does not find an unknown customer, or a representative of another one", () =>
    Effect.gen(function* () {
      const acme = yield* findRep("acme-admin")
      const globex = yield* findRep("globex-admin")
      for (const body of [
        { customerID: 999_999 },
        { customerID: acme.customerID, customerRepID: 999_999 },
        { customerID: acme.customerID, customerRepID: globex.customerRepID }
      ]) {
        expect(yield* impersonate(body)).toMatchObject({ status: 404, json: { status: 404, error: "Not Found" } })
      }
    })
  )

  it.effect("checks the key before it looks at anything else", () =>
    Effect.gen(function* () {
      const { customerID } = yield* findRep("acme-admin")
      for (const key of ["", "wrong", "test-platform-ke", "test-platform-key2", "TEST-PLATFORM-KEY"]) {
        expect((yield* impersonate({ customerID }, key)).status, key).toBe(401)
      }
      expect((yield* sendJson("POST", path, { body: { customerID } })).status).toBe(401)
      expect((yield* impersonate({ customerID: "no" }, "wrong")).status).toBe(401)
      expect((yield* send("POST", path, { body: "{" })).status).toBe(401)
    })
  )

  it.effect("says everything that is wrong with the body", () =>
    Effect.gen(function* () {
      const answer = yield* impersonate({ customerRepID: "1" })
      expect(answer).toMatchObject({
        status: 400,
        json: { details: [{ path: "customerID" }, { path: "customerRepID" }] }
      })
    })
  )

  it.effect("looks like an unknown route without a configured key", () =>
    Effect.gen(function* () {
      const absent = yield* sendJson("POST", "/api/Auth/no-such-route", { body: {} })
      for (const answer of [
        yield* impersonate({ customerID: 1 }),
        yield* impersonate({ customerID: 1 }, ""),
        yield* impersonate({ customerID: "no" }),
        yield* send("POST", path, { body: "{" })
      ]) {
        expect(answer).toMatchObject({ status: 404, json: { status: 404, error: "Not Found" } })
        expect(Object.keys(fieldsOf(answer.json))).toEqual(Object.keys(fieldsOf(absent.json)))
      }
    }).pipe(onAnotherNode({ PLATFORM_KEY: "" }))
  )
})
