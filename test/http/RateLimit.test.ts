import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { login, send, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"

// So few that even on a slow machine the quota does not refill during the test.
const limit = 3
const addressLimit = 12

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })

const untilRefused = <E, R>(ask: Effect.Effect<Effect.Effect.Success<ReturnType<typeof send>>, E, R>) =>
  Effect.gen(function* () {
    for (let asked = 0; asked <= 10 * addressLimit; asked++) {
      const answer = yield* ask
      if (answer.status === 429) return { answer, asked }
    }
    return yield* Effect.dieMessage("It was never refused")
  })

const limits = { RATE_LIMIT: String(limit), RATE_LIMIT_ADDRESS: String(addressLimit) }

layer(testApp(limits), { excludeTestServices: true })("Rate limits", (it) => {
  it.effect("tell a caller what is left, then when to come back", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const first = yield* sendJson("GET", "/api/Actions/1", { token })
      expect(first.headers.get("ratelimit-policy")).toBe(`"caller";q=${limit};w=60`)
      expect(first.headers.get("ratelimit")).toMatch(new RegExp(`^"caller";r=${limit - 1};t=\\d+$`))
      const { answer, asked } = yield* untilRefused(sendJson("GET", "/api/Actions/1", { token }))
      expectError(answer, 429, /Too many requests. Try again in \d+ s\./)
      expect(asked).toBeGreaterThanOrEqual(limit - 1)
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      expect(answer.headers.get("ratelimit")).toMatch(/^"caller";r=0;t=\d+$/)
    })
  )

  it.effect("belong to a representative, not a token: another login does not help, another person is unaffected", () =>
    Effect.gen(function* () {
      const [one, again, other] = [
        yield* login("globex-admin"),
        yield* login("globex-admin"),
        yield* login("acme-agent")
      ]
      yield* untilRefused(sendJson("GET", "/api/Actions", { token: one }))
      expect((yield* sendJson("GET", "/api/Actions", { token: again })).status).toBe(429)
      expect((yield* sendJson("GET", "/api/Actions", { token: other })).status).toBe(200)
    })
  )

  it.effect("count an IPv6 network as one address, and an IPv4 address in IPv6 form as itself", () =>
    Effect.gen(function* () {
      const left = (address: string) =>
        Effect.map(send("GET", "/nothing", from(address)), ({ headers }) => headers.get("ratelimit")?.split(";")[1])
      expect(yield* left("2001:db8:1:2:3::1")).toBe(`r=${addressLimit - 1}`)
      expect(yield* left("2001:db8:1:2:4::1")).toBe(`r=${addressLimit - 2}`)
      expect(yield* left("2001:db8:1:3::1")).toBe(`r=${addressLimit - 1}`)
      expect(yield* left("::ffff:198.51.100.9")).toBe(`r=${addressLimit - 1}`)
      expect(yield* left("198.51.100.9")).toBe(`r=${addressLimit - 2}`)
      // Some proxies append the port to the address.
      expect(yield* left("198.51.100.9:50001")).toBe(`r=${addressLimit - 3}`)
      expect(yield* left("[2001:db8:1:2:5::1]:50002")).toBe(`r=${addressLimit - 3}`)
    })
  )

  it.effect("count callers without a valid token by address, whatever they request", () =>
    Effect.gen(function* () {
      const bad = { headers: { ...from("198.51.100.7").headers, authorization: "Bearer made.up.token" } }
      expect((yield* send("GET", "/api/Actions", bad)).headers.get("ratelimit-policy")).toBe(
        `"address";q=${addressLimit};w=60`
      )
      yield* untilRefused(send("GET", "/api/Actions", bad))
      for (const path of ["/nothing", "/openapi.json", "/api/File/none"]) {
        expect((yield* untilRefused(send("GET", path, from("198.51.100.7")))).asked).toBeLessThan(addressLimit / 2)
        expect((yield* send("GET", path, from("198.51.100.8"))).status).not.toBe(429)
      }
    })
  )

  it.effect("do not apply to health checks", () =>
    Effect.gen(function* () {
      for (let asked = 0; asked < 2 * addressLimit; asked++) {
        const answer = yield* send("GET", asked % 2 === 0 ? "/health/live" : "/health/ready", from("198.51.100.9"))
        expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, null])
      }
    })
  )
})
