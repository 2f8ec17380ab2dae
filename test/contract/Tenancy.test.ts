import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type Endpoint, endpoints } from "../support/Endpoints.ts"
import { exampleBody } from "../support/ExampleBody.ts"
import { ownPathIds, type Person } from "../support/KnownIds.ts"
import { person, sendTo } from "../support/SendExample.ts"
import { findTenantTables } from "../support/StatementAudit.ts"
import { type Answer, testApp } from "../support/TestApp.ts"

type Ids = Readonly<Record<string, string | number>>

const guarded = endpoints.filter(({ takesBearer }) => takesBearer)

const withIds = guarded.filter(({ parameters }) => parameters.some(({ brand }) => Option.isSome(brand)))

/** Ticket messages and their attachments say 403 when they exist but belong to another customer. */
const foreignStatus = (endpoint: Endpoint) => (/^\/ticketMessages\//i.test(endpoint.path) ? 403 : 404)

const missingNumber = 2_147_483_646
const missingGuid = "00000000-0000-4000-8000-000000000000"

const missingLike = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, typeof id === "number" ? missingNumber : missingGuid])
  )

/** A response without the parts that must differ: header values, the request's id, and the ids that were asked for. */
const comparable = ({ headers, status, text }: Answer, ids: Ids) => ({
  status,
  headers: [...headers.keys()].sort(),
  body: Object.values(ids).reduce(
    (body: string, id) => body.replaceAll(new RegExp(`(?<![\\w-])${id}(?![\\w-])`, "g"), "<id>"),
    text.replace(/"requestId":"[^"]*"/, "")
  )
})

const variants = (method: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  if (method === "GET") return [{}, { "if-none-match": "*" }]
  return method === "POST" ? [{}, { "idempotency-key": "k" }] : [{}, { "if-match": "*" }]
}

/** All rows of the customer, except those that requests leave by themselves. */
const snapshot = (customerID: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = [...(yield* findTenantTables)].filter((table) => !["idempotency", "audit_log"].includes(table))
    return yield* Effect.forEach(tables.sort(), (table) =>
      Effect.map(
        sql`select * from ${sql(table)} t where t.customer_id = ${customerID} order by t::text`,
        (rows) => [table, rows] as const
      )
    )
  })

const pairs = [
  { owner: "acme-admin", intruder: "globex-admin", reports: false },
  { owner: "globex-admin", intruder: "acme-admin", reports: false },
  // Only Acme and Initech have the feature.
  { owner: "acme-admin", intruder: "initech-admin", reports: true },
  { owner: "initech-admin", intruder: "acme-admin", reports: true }
]

const trespass = (endpoint: Endpoint, owner: Person, intruder: Person) =>
  Effect.gen(function* () {
    const foreign = yield* ownPathIds(endpoint, owner)
    const missing = missingLike(foreign)
    for (const headers of variants(endpoint.method)) {
      const ask = (ids: Ids) =>
        Effect.gen(function* () {
          const body = yield* exampleBody(endpoint, intruder.customerID, ids)
          return comparable(yield* sendTo(endpoint, { ids, body, token: intruder.token, headers }), ids)
        })
      const [answer, expected] = [yield* ask(foreign), yield* ask(missing)]
      const label = `${endpoint.method} ${endpoint.path} by ${intruder.username} ${JSON.stringify(headers)}`
      if (foreignStatus(endpoint) === 404) expect(answer, label).toEqual(expected)
      if (headers["if-match"] === undefined) {
        expect(answer.status, `${label} foreign`).toBe(foreignStatus(endpoint))
        expect(expected.status, `${label} missing: ${expected.body}`).toBe(404)
      }
    }
  })

layer(testApp(), { excludeTestServices: true })("Another customer's resource", (it) => {
  for (const { intruder, owner, reports } of pairs) {
    it.effect(
      `looks like a missing one when ${intruder} asks for that of ${owner}${reports ? " (reports)" : ""}`,
      () =>
        Effect.gen(function* () {
          const [victim, thief] = [yield* person(owner), yield* person(intruder)]
          const before = yield* snapshot(victim.customerID)
          const asked = withIds.filter(({ policies }) => policies.includes("ReportAccess") === reports)
          yield* Effect.forEach(asked, (endpoint) => trespass(endpoint, victim, thief), { concurrency: 1 })
          expect(yield* snapshot(victim.customerID)).toEqual(before)
        }),
      { timeout: 600_000 }
    )
  }

  it("every id in a path has a brand", () => {
    const unbranded = guarded.flatMap(({ id, parameters }) =>
      parameters
        .filter(({ brand, name }) => /id$/i.test(name) && Option.isNone(brand))
        .map(({ name }) => `${id} :${name}`)
    )
    expect(unbranded).toEqual([])
  })
})
