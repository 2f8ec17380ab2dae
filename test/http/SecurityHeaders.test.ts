import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { endpoints } from "../support/Endpoints.ts"
import { login, send, sendJson, testApp } from "../support/TestApp.ts"
import { sendRaw } from "./RawRequest.ts"

layer(testApp(), { excludeTestServices: true })("Security headers", (it) => {
  it.effect("are on every response", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answers = yield* Effect.all([
        sendJson("GET", "/api/Actions", { token }),
        sendJson("GET", "/api/Actions/1", { token, headers: { "if-none-match": "*" } }),
        sendJson("DELETE", "/api/Actions/999999", { token }),
        send("GET", "/api/Actions"),
        send("GET", "/nothing"),
        send("PATCH", "/api/Actions"),
        send("GET", "/health/live"),
        send("GET", "/openapi.json")
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 304, 404, 401, 404, 405, 200, 200])
      for (const { headers } of answers) {
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("x-frame-options")).toBe("DENY")
        expect(headers.get("referrer-policy")).toBe("no-referrer")
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
        expect(headers.get("cache-control")).toBe("private, no-cache")
        expect(headers.get("cross-origin-resource-policy")).toBe("same-site")
        expect(headers.get("strict-transport-security")).toMatch(/max-age=\d{7,}/)
        expect(headers.get("x-powered-by")).toBeNull()
        expect(headers.get("server")).toBeNull()
      }
    })
  )

  it.effect("never set a cookie, and no cookie is accepted as a credential", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const endpoint of endpoints) {
        const path = endpoint.path.replace(/:\w+/g, "1")
        const answer = yield* send(endpoint.method, path, {
          headers: { cookie: `token=${token}; access_token=${token}; Authorization=Bearer ${token}` }
        })
        expect(answer.headers.get("set-cookie"), endpoint.id).toBeNull()
        if (endpoint.takesBearer) expect(answer.status, endpoint.id).toBe(401)
      }
      const body = { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" }
      expect((yield* sendJson("POST", "/api/Auth/login", { body })).headers.get("set-cookie")).toBeNull()
    })
  )

  it.effect("echo nothing from the caller's own headers", () =>
    Effect.gen(function* () {
      const answer = yield* sendRaw(
        "GET /nothing%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: evil.example\r\nX-Request-Id: a b<script>\r\n" +
          "X-Forwarded-Host: evil.example\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n"
      )
      expect(answer.status).toBe(404)
      expect(answer.headers.get("set-cookie")).toBeNull()
      expect(JSON.stringify([...answer.headers])).not.toMatch(/evil|script/)
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    })
  )

  it.effect("keep responses with credentials out of caches", () =>
    Effect.gen(function* () {
      const body = { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" }
      for (const path of ["/api/Auth/login", "/API/AUTH/LOGIN/", "//api//auth/login"]) {
        const answer = yield* sendJson("POST", path, { body })
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
      }
      const token = yield* login("acme-admin")
      for (const path of ["/api/Customers/my-secrets", "/API/customers/My-Secrets"]) {
        const answer = yield* sendJson("GET", path, { token })
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
      }
    })
  )

  it.effect("let the docs page run its own scripts, and nothing from elsewhere", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", "/DOCS/", "/docs?x"]) {
        const { headers, status, text } = yield* send("GET", path)
        expect(status).toBe(200)
        expect(headers.get("content-security-policy")).toMatch(
          /script-src 'unsafe-inline' 'wasm-unsafe-eval';.*connect-src 'self'/
        )
        expect(text).not.toMatch(/<(?:script|link)[^>]+(?:src|href)=["']?(?:https?:)?\/\//i)
      }
    })
  )
})

layer(testApp({ BASE_URL: "http://localhost:3000" }), { excludeTestServices: true })("Without https", (it) => {
  it.effect("no response sends Strict-Transport-Security", () =>
    Effect.gen(function* () {
      expect((yield* send("GET", "/health/live")).headers.get("strict-transport-security")).toBeNull()
    })
  )
})
