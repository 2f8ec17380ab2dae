import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Tokens } from "../../src/auth/Tokens.ts"
import { type Endpoint, endpoints } from "../support/Endpoints.ts"
import { fieldsOf } from "../support/Fields.ts"
import { acmeAdmin } from "../support/Logins.ts"
import { sendTo } from "../support/SendExample.ts"
import { login, testApp } from "../support/TestApp.ts"

const guarded = endpoints.filter(({ policies }) => policies.length > 0)

/** Routes without a policy; a new one must be added here. */
const publicRoutes = [
  "GET /api/ChannelTranslations/resolve",
  "GET /api/File/:accessToken",
  "GET /api/MailWebhook",
  "GET /api/PlaceDescriptionPhotos/:accessToken",
  "GET /health/live",
  "GET /health/ready",
  "GET /ticketMessages/:ticketToken/like-dislike",
  "POST /api/Auth/login",
  "POST /api/Auth/phone-login",
  "POST /api/Auth/request-password-reset",
  "POST /api/Auth/reset-password",
  "POST /api/MailWebhook"
]

const withoutSignature = (token: string) => token.replace(/[^.]*$/, "")

const otherPayload = (token: string) => {
  const [header, payload = "", signature] = token.split(".")
  const claims = fieldsOf(JSON.parse(Buffer.from(payload, "base64url").toString()))
  const forged = Buffer.from(JSON.stringify({ ...claims, CustomerID: "2" })).toString("base64url")
  return `${header}.${forged}.${signature}`
}

const unsigned = (token: string) => {
  const header = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url")
  return `${header}.${token.split(".")[1]}.`
}

const badCredentials = Effect.gen(function* () {
  const tokens = yield* Tokens
  const good = yield* login("acme-admin")
  const expired = yield* tokens.forRep(acmeAdmin, { lifetime: "0 seconds", impersonated: false })
  return {
    none: {},
    empty: { authorization: "" },
    "no token": { authorization: "Bearer " },
    garbage: { authorization: "Bearer garbage" },
    "another scheme": { authorization: `Basic ${good}` },
    "no scheme": { authorization: good },
    expired: { authorization: `Bearer ${expired}` },
    "no signature": { authorization: `Bearer ${withoutSignature(good)}` },
    "changed claims": { authorization: `Bearer ${otherPayload(good)}` },
    unsigned: { authorization: `Bearer ${unsigned(good)}` },
    "wrong platform key": { "x-platform-key": "wrong" }
  } satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
})

/** The same request, valid and broken in every way that must not be noticed before the token is checked. */
const requests = (endpoint: Endpoint) => {
  const bad = Object.fromEntries(endpoint.parameters.map(({ name }) => [name, "not-an-id"]))
  const good = Object.fromEntries(endpoint.parameters.map(({ brand, name }) => [name, Option.isSome(brand) ? 1 : "en"]))
  return [
    { ids: good, body: {} },
    { ids: good, body: "\u0000", query: "?pageNumber=-1&pageSize=x" },
    { ids: bad, body: [] },
    { ids: good, body: {}, headers: { "content-type": "text/xml", "if-match": '"x"', "idempotency-key": "" } },
    { ids: good, body: "x".repeat(1_100_000) }
  ]
}

layer(testApp(), { excludeTestServices: true })("Without a good token", (it) => {
  it.effect("every route with a policy answers 401 before it looks at anything else", () =>
    Effect.gen(function* () {
      const credentials = Object.entries(yield* badCredentials)
      const tries = guarded.flatMap((endpoint) => {
        const [good, ...broken] = requests(endpoint)
        return [
          ...credentials.map(([name, headers]) => ({ endpoint, name, headers, request: good })),
          ...broken.map((request) => ({ endpoint, name: "none", headers: {}, request }))
        ]
      })
      const knock = ({ endpoint, headers, name, request }: (typeof tries)[number]) =>
        Effect.gen(function* () {
          const answer = yield* sendTo(endpoint, { ...request, headers: { ...request?.headers, ...headers } })
          const label = `${endpoint.id}, credentials: ${name}: ${answer.text}`
          expect(answer.status, label).toBe(401)
          expect(answer.json, label).toEqual({
            status: 401,
            error: "Unauthorized",
            message: expect.any(String),
            requestId: answer.headers.get("x-request-id")
          })
        })
      yield* Effect.forEach(tries, knock, { concurrency: 16, discard: true })
    })
  )

  it("only the listed routes are public", () => {
    const open = endpoints.filter(({ policies }) => policies.length === 0)
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(publicRoutes)
  })
})
