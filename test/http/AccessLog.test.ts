import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { describe, expect, layer, it as plain } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import { accessLine, loggable, withoutSecrets } from "../../src/platform/http/AccessLog.ts"
import { makeRoutes } from "../../src/platform/http/Routes.ts"
import { login, send, sendJson, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { capturedLog } from "./CapturedLog.ts"
import { sendRaw } from "./RawRequest.ts"

const log = capturedLog()

layer(testNode(TestDatabase, {}, log.layer), { excludeTestServices: true })("The access log", (it) => {
  it.effect("has one line per request, whatever the response status", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const cases = [
        ["GET", "/api/Actions/1", 200],
        ["HEAD", "/api/Actions/1", 200],
        ["GET", "/api/Actions/0", 400],
        ["GET", "/nothing", 404],
        ["PATCH", "/api/Actions", 405],
        ["GET", "/health/live", 200],
        ["DELETE", "/api/Actions/999999", 404]
      ] as const
      for (const [method, path, status] of cases) {
        log.clear()
        const answer = yield* sendJson(method, path, { token, headers: { "x-forwarded-for": "203.0.113.5" } })
        expect(answer.status).toBe(status)
        expect(log.entries()).toMatchObject([
          {
            message: "request",
            logLevel: "INFO",
            annotations: {
              method,
              url: path,
              status,
              requestId: answer.headers.get("x-request-id"),
              address: "203.0.113.5",
              durationMs: expect.any(Number)
            }
          }
        ])
        expect(log.lines()[0]).not.toContain("\n")
      }
    })
  )

  it.effect("contains no tokens or secrets", () =>
    Effect.gen(function* () {
      log.clear()
      const token = yield* login("acme-admin")
      const query = `access_token=${token}&ACCESS_TOKEN=${token}&access%5Ftoken=${token}&token=Hush-1&pageSize=1`
      yield* sendJson("GET", `/api/Actions?${query}`, { token })
      yield* sendJson("GET", `/nothing?access_token=${token}`, { token })
      yield* sendJson("GET", `/api/Actions;access_token=${token}`, { token })
      yield* sendJson("GET", `/api/Actions/1;a=b?a=b;access_token=${token}`, { token })
      yield* sendJson("POST", "/api/Auth/reset-password", { body: { token: "Hush-2", newPassword: "Hush-Pass-3" } })
      yield* sendJson("POST", "/api/Auth/login", {
        body: { username: "acme-admin", password: "Hush-Pass-4", hostname: "localhost" }
      })
      yield* send("POST", "/api/Auth/login", {
        body: '{"password":"Hush-Pass-5",',
        headers: { authorization: "Hush-6" }
      })
      yield* sendJson("POST", "/api/Auth/impersonate-by-customer", {
        headers: { "x-platform-key": "Hush-7" },
        body: { customerID: 1 }
      })
      const written = log.lines().join("\n")
      expect(log.entries().filter(({ message }) => message === "request")).toHaveLength(9)
      expect(written).toContain("access_token=redacted")
      expect(written).toContain("pageSize=1")
      expect(written).not.toContain(token)
      expect(written).not.toMatch(/Hush|Demo-Pass/)
    })
  )

  it.effect("cannot be forged with line breaks in a request", () =>
    Effect.gen(function* () {
      log.clear()
      yield* sendRaw("GET /a%0d%0afalse?x=%0a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\tb\r\nConnection: close\r\n\r\n")
      expect(log.lines()).toHaveLength(1)
      expect(log.lines()[0]).not.toMatch(/[\r\n]/)
    })
  )
})

const files = HttpApi.make("files").add(
  HttpApiGroup.make("files").add(
    HttpApiEndpoint.get("download")`/api/File/${HttpApiSchema.param("accessToken", Schema.String)}`
  )
)

const download = makeRoutes(files, []).find("GET", "/api/File/x")?.route

describe("The line of a request", () => {
  plain.effect("matches the output of the JSON logger", () =>
    Effect.withFiberRuntime<void>((fiber) => {
      const annotations = {
        requestId: 'a "b"\n\\',
        method: "GET",
        route: "unmatched",
        url: "/nothing?name=%22é",
        status: 404,
        durationMs: 0.1,
        address: 'fe80::1%"lo"'
      }
      const date = new Date(1_700_000_000_000)
      const usual = Logger.jsonLogger.log(loggable(fiber, date, annotations))
      expect(JSON.parse(accessLine(fiber, date, annotations))).toEqual(JSON.parse(usual))
      return Effect.void
    })
  )
})

describe("A logged address", () => {
  plain("hides the credentials that stand in paths", () => {
    expect(withoutSecrets("/api/file/6f9619ff-8b86-4d01-b42d-00cf4fc964ff?x=1", download)).toBe(
      "/api/file/redacted?x=1"
    )
    expect(withoutSecrets("/api//File/abc", download)).toBe("/api/File/redacted")
    expect(withoutSecrets("/api/Fiel/6f9619ff-8b86-4d01-b42d-00cf4fc964ff")).toBe("/api/Fiel/redacted")
    expect(withoutSecrets("/api/Actions/12?a=1")).toBe("/api/Actions/12?a=1")
  })

  plain("hides search terms, but keeps filters and paging", () => {
    expect(withoutSecrets("/api/EndUsers/byUid?uid=maria%40mail.example")).toBe("/api/EndUsers/byUid?uid=redacted")
    expect(withoutSecrets("/tickets?search=Keller&UID=%2B15550123456&pageNumber=2")).toBe(
      "/tickets?search=redacted&UID=redacted&pageNumber=2"
    )
    const kept = "status=Open&sortBy=dateCreated&isRead=true&from=2026-01-31&to=2026-01-31T10%3A00%3A00Z&channelID="
    expect(withoutSecrets(`/tickets?${kept}`)).toBe(`/tickets?${kept}`)
  })

  plain("hides everything after a semicolon, and a token wherever a parameter may begin", () => {
    expect(withoutSecrets("/api/Actions/12;token=Hush/Hush?a=b")).toBe("/api/Actions/12;redacted?a=redacted")
    expect(withoutSecrets("/api/Actions/12%3btoken=Hush")).toBe("/api/Actions/12;redacted")
    expect(withoutSecrets("/api/File/Hush;Hush", download)).toBe("/api/File/redacted")
    for (const between of [";", "#", "?"]) {
      expect(withoutSecrets(`/nothing;x=1?a=b${between}access_token=Hush`)).toBe(
        "/nothing;redacted?a=redacted&access_token=redacted"
      )
    }
  })
})
