import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { fieldsOf } from "../support/Fields.ts"
import { attemptLogin, freshAddress, statusWith, tokenIn } from "../support/Logins.ts"
import { type Answer, send, sendJson, testApp } from "../support/TestApp.ts"
import { timesAsLong } from "./TimesCompared.ts"

const withoutId = ({ json, status }: Answer) => ({ ...fieldsOf(json), requestId: undefined, answered: status })

layer(testApp(), { excludeTestServices: true })("Login", (it) => {
  it.effect("returns a token that opens the API", () =>
    Effect.gen(function* () {
      const answer = yield* attemptLogin()
      expect(answer.status).toBe(200)
      expect(Object.keys(fieldsOf(answer.json))).toEqual(["token"])
      expect(answer.headers.get("cache-control")).toBe("no-store")
      expect(yield* statusWith(tokenIn(answer))).toBe(200)
    })
  )

  it.effect("compares usernames and hostnames without case", () =>
    Effect.gen(function* () {
      expect((yield* attemptLogin({ username: "ACME-Admin", hostname: "ACME.Example" })).status).toBe(200)
      expect((yield* attemptLogin({ hostname: "LocalHost" })).status).toBe(200)
      expect((yield* attemptLogin({ password: "demo-pass-1" })).status).toBe(401)
    })
  )

  it.effect("refuses a wrong username, password, hostname and a deleted representative with the same words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`/* all customers: by hand */ update customer_rep set deleted_at = now() where username = 'initech-admin'`
      const refusals = yield* Effect.all([
        attemptLogin({ username: "nobody" }),
        attemptLogin({ password: "Wrong-Pass-1" }),
        attemptLogin({ hostname: "globex.example" }),
        attemptLogin({ hostname: "" }),
        attemptLogin({ username: "initech-admin" })
      ])
      expect(withoutId(refusals[0])).toEqual({
        answered: 401,
        status: 401,
        error: "Unauthorized",
        message: expect.any(String)
      })
      for (const refusal of refusals) expect(withoutId(refusal)).toEqual(withoutId(refusals[0]))
    })
  )

  it.effect("takes about as long for an unknown username", () =>
    Effect.gen(function* () {
      const attempt = (username: string) => attemptLogin({ username, password: "Wrong-Pass-1" })
      const ratio = yield* timesAsLong((round) => attempt(`nobody-${round}`), attempt("globex-admin"), {
        within: [0.4, 2.5],
        between: Effect.void
      })
      expect(ratio).toBeGreaterThan(0.4)
      expect(ratio).toBeLessThan(2.5)
    })
  )

  it.effect("says everything that is wrong with the body", () =>
    Effect.gen(function* () {
      const ask = (body: unknown) =>
        sendJson("POST", "/api/Auth/login", { body, headers: { "x-forwarded-for": freshAddress() } })
      const nothing = yield* ask({})
      expect(nothing).toMatchObject({ status: 400, json: { status: 400, error: "Bad Request" } })
      expect(nothing.json).toHaveProperty(
        "details",
        ["username", "password", "hostname"].map((path) => ({ path, message: "is required" }))
      )
      const wrongTypes = yield* ask({ username: 5, password: null, hostname: ["localhost"] })
      expect(wrongTypes).toMatchObject({
        status: 400,
        json: { details: [{ path: "username" }, { path: "password" }, { path: "hostname" }] }
      })
      for (const body of ["{", "", "[]", "null"]) {
        const answer = yield* send("POST", "/api/Auth/login", { body, headers: { "content-type": "application/json" } })
        expect(answer.status, body).toBe(400)
      }
    })
  )

  it.effect("does not choke on hostile names", () =>
    Effect.gen(function* () {
      const longest = Array.from({ length: 512 }, (_, index) => String.fromCodePoint(0x20000 + index * 7)).join("")
      for (const username of ["", "' or 1=1 --", "%", longest]) {
        expect((yield* attemptLogin({ username })).status, username).toBe(401)
      }
      expect((yield* attemptLogin({ username: "a\u0000b" })).status).toBe(400)
      expect((yield* attemptLogin({ username: "x".repeat(1025) })).status).toBe(400)
    })
  )

  it.effect("asks for the customer's own hostname when localhost is switched off", () =>
    Effect.gen(function* () {
      expect((yield* attemptLogin()).status).toBe(401)
      expect((yield* attemptLogin({ hostname: "LOCALHOST" })).status).toBe(401)
      expect((yield* attemptLogin({ hostname: "globex.example" })).status).toBe(401)
      expect((yield* attemptLogin({ hostname: "Acme.Example" })).status).toBe(200)
    }).pipe(onAnotherNode({ LOGIN_LOCALHOST: "false" }))
  )
})
