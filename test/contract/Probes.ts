import { SqlClient } from "@effect/sql"
import { Effect, Option, Predicate } from "effect"
import { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { Tokens } from "../../src/auth/Tokens.ts"
import type { Endpoint } from "../support/Endpoints.ts"
import { exampleBody } from "../support/ExampleBody.ts"
import { ownPathIds, type Person } from "../support/KnownIds.ts"
import { pathOf, person, sendTo } from "../support/SendExample.ts"
import { type Answer, send } from "../support/TestApp.ts"

/** The fields that must differ from one example to the next. */
const naming = new Set(["name", "hookName", "pageUrl"])

/** The callers of the probes, and the requests that they make. */
export const makeProbes = Effect.gen(function* () {
  const tokens = yield* Tokens
  const sql = yield* SqlClient.SqlClient
  const admin = yield* person("acme-admin")
  const agent = yield* person("acme-agent")
  const withoutReports = yield* person("globex-admin")
  const [channel] = yield* sql<{ id: number }>`
    select channel_id as id from channel where customer_id = ${admin.customerID} and channel_type = 'Phone'`
  const phone = yield* tokens.forPhone({
    customerID: CustomerID.make(admin.customerID),
    channelID: ChannelID.make((yield* Effect.fromNullable(channel)).id),
    phoneNumber: "+15550100"
  })

  const seen = new Map<string, Answer>()
  let count = 0
  const withNewName = (body: unknown): unknown => {
    if (Array.isArray(body)) return body.map(withNewName)
    if (!Predicate.isReadonlyRecord(body)) return body
    const names = Object.entries(body).filter(([key]) => naming.has(key))
    return { ...body, ...Object.fromEntries(names.map(([key, value]) => [key, `${value}${count}`])) }
  }

  /** Sends a valid request to the endpoint, or one that is changed in one way, and records the status. */
  const ask = (
    endpoint: Endpoint,
    change: {
      readonly caller?: Person | { readonly token: string }
      readonly ids?: Readonly<Record<string, string | number>>
      readonly query?: string
      readonly body?: unknown
      /** Sends the example unchanged, so that a second one is a duplicate. */
      readonly twin?: boolean
      readonly headers?: Readonly<Record<string, string>>
    } = {}
  ) =>
    Effect.gen(function* () {
      count += 1
      const ids = { ...(yield* ownPathIds(endpoint, admin)), ...change.ids }
      const example = yield* exampleBody(endpoint, admin.customerID, ids)
      const body = "body" in change ? change.body : change.twin === true ? example : withNewName(example)
      const token = change.caller?.token ?? admin.token
      const answer = yield* sendTo(endpoint, {
        ids,
        body,
        ...(endpoint.takesBearer && token !== "" && { token }),
        ...(change.query !== undefined && { query: change.query }),
        headers: {
          "x-forwarded-for": `198.51.${count >> 8}.${count & 255}`,
          ...(endpoint.policies.includes("PlatformAccess") && { "x-platform-key": "test-platform-key" }),
          ...(endpoint.policies.includes("MetricsAccess") &&
            token !== "" && { authorization: "Bearer test-metrics-token" }),
          ...change.headers
        }
      })
      note(endpoint.id, answer)
      return answer
    })

  const note = (id: string, answer: Answer) => seen.set(`${id} ${answer.status}`, answer)

  const raw = (endpoint: Endpoint, contentType: string, text: string) =>
    Effect.gen(function* () {
      const ids = yield* ownPathIds(endpoint, admin)
      const answer = yield* send(endpoint.method, pathOf(endpoint, ids), {
        headers: {
          "content-type": contentType,
          ...(endpoint.takesBearer && { authorization: `Bearer ${admin.token}` }),
          ...(endpoint.policies.includes("PlatformAccess") && { "x-platform-key": "test-platform-key" })
        },
        body: text
      })
      note(endpoint.id, answer)
    })

  const missing = (endpoint: Endpoint) =>
    Object.fromEntries(
      endpoint.parameters.map(({ brand, name }) => [name, Option.isSome(brand) ? 2_147_483_646 : "zu"])
    )

  /** Makes the attempts in turn until the status is met, so that requests that succeed do no needless harm. */
  const untilMet = <A, E, R>(endpoint: Endpoint, status: number, tries: ReadonlyArray<Effect.Effect<A, E, R>>) =>
    Effect.forEach(tries, (attempt) => Effect.unless(attempt, () => seen.has(`${endpoint.id} ${status}`)))

  // The first request waits for the locked table; the other one finds it still running.
  const stillRunning = (endpoint: Endpoint) =>
    sql`lock table idempotency in access exclusive mode`.pipe(
      Effect.zipRight(Effect.raceFirst(once(endpoint), once(endpoint))),
      sql.withTransaction
    )

  const once = (endpoint: Endpoint) => ask(endpoint, { twin: true, headers: { "idempotency-key": "a" } })

  /** How each status is provoked at any endpoint that lists it. */
  const probes: Readonly<Record<number, (endpoint: Endpoint) => Effect.Effect<unknown, unknown, Needs>>> = {
    304: (endpoint) => ask(endpoint, { headers: { "if-none-match": "*" } }),
    400: (endpoint) =>
      untilMet<unknown, unknown, Needs>(endpoint, 400, [
        ...(Option.isSome(endpoint.payload) && !endpoint.isMultipart ? [raw(endpoint, "application/json", "[")] : []),
        ask(endpoint, { ids: Object.fromEntries(endpoint.parameters.map(({ name }) => [name, "0"])) }),
        ...(endpoint.method === "POST" ? [ask(endpoint, { headers: { "idempotency-key": "k".repeat(256) } })] : []),
        ask(endpoint, { query: "?pageNumber=0&pageSize=0" })
      ]),
    401: (endpoint) => ask(endpoint, { caller: { token: "" }, headers: { "x-platform-key": "wrong" } }),
    403: (endpoint) =>
      untilMet(
        endpoint,
        403,
        [{ token: phone }, withoutReports, agent].map((caller) => ask(endpoint, { caller }))
      ),
    404: (endpoint) => ask(endpoint, { ids: missing(endpoint) }),
    409: (endpoint) =>
      (endpoint.takesIdempotencyKey ? stillRunning(endpoint) : once(endpoint)).pipe(
        Effect.zipRight(ask(endpoint, { twin: true }))
      ),
    412: (endpoint) => ask(endpoint, { headers: { "if-match": '"nothing"' } }),
    413: (endpoint) => raw(endpoint, "application/json", " ".repeat(1_200_000)),
    415: (endpoint) => raw(endpoint, "text/xml", "<x/>"),
    422: (endpoint) =>
      ask(endpoint, { headers: { "idempotency-key": "b" } }).pipe(
        Effect.zipRight(ask(endpoint, { body: { another: "body" }, headers: { "idempotency-key": "b" } }))
      ),
    429: (endpoint) =>
      Effect.forEach(Array.from({ length: 11 }), () =>
        ask(endpoint, { body: wrongCredentials, headers: { "x-forwarded-for": "203.0.113.1" } })
      )
  }

  return { ask, probes, seen, admin, phone: { token: phone } }
})

/** Wrong credentials, well-formed for every route that takes some. */
const wrongCredentials = {
  username: "nobody",
  password: "wrong",
  hostname: "localhost",
  phoneNumber: "+10000000",
  accountSid: "nothing",
  token: "00000000-0000-4000-8000-000000000000",
  newPassword: "Demo-Pass-2"
}

type Needs = Effect.Effect.Context<ReturnType<typeof person>>
