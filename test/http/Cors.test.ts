import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { login, send, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"

const preflight = (origin: string, path = "/api/Actions") =>
  send("OPTIONS", path, { headers: { origin, "access-control-request-method": "POST" } })

const namesOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control"))

const ours = "https://desk.example"

layer(testApp({ CORS_ORIGINS: `${ours}/, http://localhost:5173` }), { excludeTestServices: true })(
  "Configured origins",
  (it) => {
    it.effect("are told which methods and headers they may send", () =>
      Effect.gen(function* () {
        for (const origin of [ours, "http://localhost:5173"]) {
          const { headers, status, text } = yield* preflight(origin)
          expect([status, text]).toEqual([204, ""])
          expect(headers.get("access-control-allow-origin")).toBe(origin)
          expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST")
          expect(headers.get("access-control-allow-headers")).toMatch(
            /authorization.*content-type.*idempotency-key.*if-match/
          )
          expect(headers.get("access-control-max-age")).toBe("600")
          expect(headers.get("vary")).toBe("Origin")
          expect(headers.get("x-request-id")).not.toBeNull()
          expect(headers.get("x-content-type-options")).toBe("nosniff")
        }
        expectError(yield* preflight(ours, "/nothing"), 404, /no route/)
      })
    )

    it.effect("may read responses and errors, with their headers", () =>
      Effect.gen(function* () {
        const token = yield* login("acme-admin")
        const good = yield* sendJson("GET", "/api/Actions/1", { token, headers: { origin: ours } })
        const refused = yield* sendJson("GET", "/api/Actions/1", { headers: { origin: ours } })
        const unknown = yield* sendJson("GET", "/nothing", { headers: { origin: ours } })
        expect([good.status, refused.status, unknown.status]).toEqual([200, 401, 404])
        for (const { headers } of [good, refused, unknown]) {
          expect(headers.get("access-control-allow-origin")).toBe(ours)
          expect(headers.get("access-control-expose-headers")).toMatch(/content-range.*etag.*location.*x-request-id/)
          expect(headers.get("vary")).toBe("Origin")
        }
      })
    )

    it.effect("are the only origins allowed", () =>
      Effect.gen(function* () {
        for (const origin of ["https://evil.example", `${ours}.evil.example`, "http://desk.example", "null", "*", ""]) {
          const answer = yield* preflight(origin)
          expectError(answer, 405, /OPTIONS/)
          expect(namesOf(answer.headers)).toEqual([])
          const read = yield* send("GET", "/health/live", { headers: { origin } })
          expect([read.status, namesOf(read.headers), read.headers.get("vary")]).toEqual([200, [], "Origin"])
        }
        expect(namesOf((yield* send("GET", "/health/live")).headers)).toEqual([])
      })
    )
  }
)

layer(testApp({ CORS_ORIGINS: "*" }), { excludeTestServices: true })("Every origin", (it) => {
  it.effect("may read, but without browser credentials", () =>
    Effect.gen(function* () {
      const { headers } = yield* send("GET", "/health/live", { headers: { origin: "https://any.example" } })
      expect(headers.get("access-control-allow-origin")).toBe("*")
      expect(headers.get("access-control-allow-credentials")).toBeNull()
    })
  )
})

const negotiation = "/chatHub/negotiate?negotiateVersion=1"

/** Negotiates like the hub's client in a browser, on a site that only its channel allows. */
const negotiates = Effect.gen(function* () {
  const origin = "https://shop.example"
  const asked = yield* preflight(origin, negotiation)
  expect([asked.status, asked.headers.get("access-control-allow-methods")]).toEqual([204, "POST"])
  expect(asked.headers.get("access-control-allow-headers")).toMatch(/x-requested-with, x-signalr-user-agent/)
  const answer = yield* send("POST", negotiation, { headers: { origin } })
  for (const { headers } of [asked, answer]) {
    expect(headers.get("access-control-allow-origin")).toBe(origin)
    expect(headers.get("access-control-allow-credentials")).toBe("true")
    expect(headers.get("vary")).toBe("Origin")
  }
  expectError(yield* send("OPTIONS", negotiation, { headers: { origin } }), 405, /OPTIONS/)
  const strange = { origin, "access-control-request-method": "constructor" }
  expect((yield* send("OPTIONS", negotiation, { headers: strange })).status).toBeLessThan(500)
})

for (const CORS_ORIGINS of ["", ours, "*"]) {
  layer(testApp({ CORS_ORIGINS }), { excludeTestServices: true })(`With CORS_ORIGINS “${CORS_ORIGINS}”`, (it) => {
    it.effect("a visitor's page on any site may negotiate with the hub", () => negotiates)
  })
}

layer(testApp(), { excludeTestServices: true })("Without CORS_ORIGINS", (it) => {
  it.effect("no origin is allowed", () =>
    Effect.gen(function* () {
      const answer = yield* preflight(ours)
      expectError(answer, 405, /OPTIONS/)
      const read = yield* send("GET", "/health/live", { headers: { origin: ours } })
      expect([namesOf(answer.headers), namesOf(read.headers), read.headers.get("vary")]).toEqual([[], [], null])
    })
  )
})
