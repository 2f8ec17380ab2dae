import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from "jose"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { attemptLogin, statusWith, tokenIn } from "../support/Logins.ts"
import { minutesLater } from "../support/MinutesLater.ts"
import { send, sendJson, testApp } from "../support/TestApp.ts"

const secret = "the-old-secret-of-enough-length"
const newSecret = "the-new-secret-of-enough-length"

const now = () => Math.floor(Date.now() / 1000)

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Changes parts of a genuine token and signs it again. */
const forge = (
  genuine: string,
  changes: {
    readonly header?: Readonly<Record<string, string>>
    readonly claims?: JWTPayload
    readonly secret?: string
  }
) =>
  Effect.promise(() =>
    new SignJWT({ ...decodeJwt(genuine), ...changes.claims })
      .setProtectedHeader({ ...decodeProtectedHeader(genuine), alg: "HS256", ...changes.header })
      .sign(new TextEncoder().encode(changes.secret ?? secret))
  )

layer(testApp({ JWT_SECRET: secret }), { excludeTestServices: true })("Tokens", (it) => {
  it.effect("carry the claims of the interface, all of them strings", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`/* all customers: by hand */
        update customer_rep set time_zone = 'Pacific Standard Time' where username = 'acme-agent'`
      const before = now()
      const token = tokenIn(yield* attemptLogin({ username: "ACME-agent" }))
      expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT", kid: expect.any(String) })
      const { aud, exp, iat, iss, ...claims } = decodeJwt(token)
      expect(claims).toEqual({
        sub: "acme-agent",
        CustomerID: expect.stringMatching(/^[0-9]+$/),
        CustomerRepID: expect.stringMatching(/^[0-9]+$/),
        TimeZone: "Pacific Standard Time",
        Locale: expect.any(String),
        Country: expect.any(String),
        role: "Agent",
        Role: "Agent",
        jti: expect.any(String),
        SecurityVersion: "1"
      })
      expect([iss, aud]).toEqual(["casework", "casework-api"])
      expect((yield* Effect.fromNullable(exp)) - (yield* Effect.fromNullable(iat))).toBe(12 * 60 * 60)
      expect(iat).toBeGreaterThanOrEqual(before)
      expect(iat).toBeLessThanOrEqual(now())
      expect(decodeJwt(tokenIn(yield* attemptLogin()))).toMatchObject({ role: "Admin", Role: "Admin", TimeZone: "UTC" })
    })
  )

  it.effect("are all different", () =>
    Effect.gen(function* () {
      const [one, other] = [tokenIn(yield* attemptLogin()), tokenIn(yield* attemptLogin())]
      expect(decodeJwt(one).jti).not.toBe(decodeJwt(other).jti)
    })
  )

  it.effect("are refused when anything about them is wrong", () =>
    Effect.gen(function* () {
      const genuine = tokenIn(yield* attemptLogin())
      const [header = "", payload = "", signature = ""] = genuine.split(".")
      expect(yield* statusWith(yield* forge(genuine, {}))).toBe(200)
      const bad = {
        "alg none": `${base64({ ...decodeProtectedHeader(genuine), alg: "none" })}.${payload}.`,
        "alg none, signature kept": `${base64({ ...decodeProtectedHeader(genuine), alg: "none" })}.${payload}.${signature}`,
        "another algorithm": yield* forge(genuine, { header: { alg: "HS512" } }),
        "another secret": yield* forge(genuine, { secret: newSecret }),
        "unknown kid": yield* forge(genuine, { header: { kid: "00000000" } }),
        issuer: yield* forge(genuine, { claims: { iss: "somebody-else" } }),
        audience: yield* forge(genuine, { claims: { aud: "another-api" } }),
        expired: yield* forge(genuine, { claims: { exp: now() - 1 } }),
        "not yet": yield* forge(genuine, { claims: { nbf: now() + 3600 } }),
        "from the future": yield* forge(genuine, { claims: { iat: now() + 3600, exp: now() + 7200 } }),
        "older than 12 hours": yield* forge(genuine, { claims: { iat: now() - 12 * 3600 - 10, exp: now() + 3600 } }),
        "no such role": yield* forge(genuine, { claims: { Role: "Root" } }),
        "no customer": yield* forge(genuine, { claims: { CustomerID: "0" } }),
        "a number for an id": yield* forge(genuine, { claims: { CustomerID: 1 } }),
        tampered: `${header}.${base64({ ...decodeJwt(genuine), CustomerID: "2" })}.${signature}`,
        "cut off": genuine.slice(0, -1),
        unsigned: `${header}.${payload}.`,
        garbage: "garbage",
        dots: ".."
      }
      for (const [what, token] of Object.entries(bad)) {
        const answer = yield* sendJson("GET", "/api/Actions", { token })
        expect(answer, what).toMatchObject({ status: 401, json: { status: 401, error: "Unauthorized" } })
      }
    })
  )

  it.effect("are accepted where the clock is a little behind, but not after they expire", () =>
    Effect.gen(function* () {
      const genuine = tokenIn(yield* attemptLogin())
      const ahead = yield* forge(genuine, { claims: { iat: now() + 120, exp: now() + 3600 } })
      expect(yield* statusWith(ahead)).toBe(200)
      const ended = yield* forge(genuine, { claims: { iat: now() - 60, exp: now() - 1 } })
      expect(yield* statusWith(ended)).toBe(401)
    })
  )

  it.effect("are accepted only in the Authorization header as Bearer", () =>
    Effect.gen(function* () {
      const token = tokenIn(yield* attemptLogin())
      const statusOf = (authorization: string) =>
        Effect.map(send("GET", "/api/Actions", { headers: { authorization } }), ({ status }) => status)
      expect(yield* statusOf(`bearer ${token}`)).toBe(200)
      for (const header of [
        token,
        `Basic ${token}`,
        `Token: ${token}`,
        `Bearer${token}`,
        "Bearer ",
        `Bearer ${token} x`
      ]) {
        expect(yield* statusOf(header), header.slice(0, 12)).toBe(401)
      }
      expect((yield* send("GET", `/api/Actions?access_token=${token}`)).status).toBe(401)
      expect((yield* send("GET", "/api/Actions")).headers.get("www-authenticate")).toBe("Bearer")
    })
  )

  it.effect("are not cached beyond their expiry", () =>
    Effect.gen(function* () {
      const genuine = tokenIn(yield* attemptLogin())
      const short = yield* forge(genuine, { claims: { exp: now() + 3600 } })
      expect(yield* statusWith(short)).toBe(200)
      expect(yield* statusWith(short).pipe(minutesLater(50))).toBe(200)
      expect(yield* statusWith(short).pipe(minutesLater(60))).toBe(401)
      expect(yield* statusWith(short)).toBe(200)
    })
  )

  it.effect("survive a change of the secret as long as the old one is listed", () =>
    Effect.gen(function* () {
      const old = tokenIn(yield* attemptLogin())
      const fresh = yield* onAnotherNode({ JWT_SECRET: `${newSecret}, ${secret}` })(
        Effect.gen(function* () {
          expect(yield* statusWith(old)).toBe(200)
          const token = tokenIn(yield* attemptLogin())
          expect(yield* statusWith(token)).toBe(200)
          return token
        })
      )
      expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid)
      expect(yield* statusWith(fresh)).toBe(401)
      yield* onAnotherNode({ JWT_SECRET: newSecret })(
        Effect.gen(function* () {
          expect(yield* statusWith(fresh)).toBe(200)
          expect(yield* statusWith(old)).toBe(401)
        })
      )
    })
  )
})
