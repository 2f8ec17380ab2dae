import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { login, send, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"

const statusOf = (method: string, path: string, token?: string) =>
  Effect.map(sendJson(method, path, token === undefined ? {} : { token }), ({ status }) => status)

layer(testApp(), { excludeTestServices: true })("Paths", (it) => {
  it.effect("match without regard to case, a trailing slash and doubled slashes", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const paths = [
        "/api/Actions",
        "/API/ACTIONS",
        "/api/actions/",
        "//api///actions//",
        "/api/%41ctions",
        "/Api/Actions/?pageSize=1",
        "/api/actions/1/"
      ]
      for (const path of paths) expect([path, yield* statusOf("GET", path, token)]).toEqual([path, 200])
      expect(yield* statusOf("GET", "/HEALTH/live/")).toBe(200)
      expect(yield* statusOf("GET", "/Docs")).toBe(200)
      expect(yield* statusOf("GET", "/OPENAPI.json")).toBe(200)
    })
  )

  it.effect("are 404 when unknown, with or without a token", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const path of ["/", "/api", "/nothing", "/api/Actions/1/more", "/api/Actionss", `/${"x".repeat(5000)}`]) {
        expectError(yield* send("GET", path), 404, /There is no route GET \//)
        expectError(yield* sendJson("GET", path, { token }), 404, /There is no route GET \//)
      }
    })
  )

  it.effect("redirect a browser from / to the documentation", () =>
    Effect.gen(function* () {
      const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
      for (const method of ["GET", "HEAD"]) {
        const { headers, status } = yield* send(method, "/", { headers: { accept } })
        expect([status, headers.get("location"), headers.get("vary")]).toEqual([302, "/docs", "Accept"])
      }
      for (const other of ["*/*", "application/json", ""]) {
        expectError(yield* send("GET", "/?a=b", { headers: { accept: other } }), 404, /There is no route GET \//)
      }
      expect(yield* statusOf("POST", "/")).toBe(405)
    })
  )

  it.effect("are 405 for another method, and list the methods they take", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const cases = [
        ["PATCH", "/api/Actions", "GET, HEAD, POST"],
        ["PUT", "/API/actions/?a=b", "GET, HEAD, POST"],
        ["POST", "/api/Actions/1", "DELETE, GET, HEAD, PUT"],
        ["GET", "/api/Auth/login", "POST"],
        ["HEAD", "/api/Auth/login", "POST"],
        ["DELETE", "/health/live", "GET, HEAD"],
        ["OPTIONS", "/api/Actions/1", "DELETE, GET, HEAD, PUT"],
        ["POST", "/docs", "GET, HEAD"],
        ["GET", "/api/TopicActions/bulk", "POST"],
        ["PATCH", "/API/topicactions/BULK/?a=b", "POST"],
        ["DELETE", "/api/hookactions/wait-seconds", "GET, HEAD"],
        ["PUT", "/api/EndUsers/byUid", "GET, HEAD"],
        ["POST", "/openapi.json", "GET, HEAD"]
      ] as const
      for (const [method, path, allow] of cases) {
        for (const headers of [{}, { authorization: `Bearer ${token}` }, { authorization: "Bearer wrong" }]) {
          const answer = yield* send(method, path, { headers })
          expect([method, path, answer.status, answer.headers.get("allow")]).toEqual([method, path, 405, allow])
          if (method !== "HEAD")
            expectError(answer, 405, new RegExp(`does not support ${method}. It supports ${allow}`))
        }
      }
    })
  )

  it.effect("are 400 for a broken percent sign, and say so", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const path of ["/api/Actions/%", "/api/Actions/%zz", "/%E0%A4", "/api/Actions/%ff"]) {
        expectError(yield* sendJson("GET", path, { token }), 400, /Write %25/)
      }
    })
  )

  it.effect("take ids from 1 to 2^31-1 and nothing else", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const bad = ["0", "-1", "1.0", "01", "1e3", "abc", "2147483648", "9".repeat(3000), "%20", "1%2F2", "1%00", "null"]
      for (const id of bad) {
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* sendJson(method, `/api/Actions/${id}`, { token })
          expectError(answer, 400, /id must be a whole number from 1 to 2147483647/)
          expect(answer.json).toMatchObject({ details: [{ path: "id" }] })
        }
      }
      expect(yield* statusOf("GET", "/api/Actions/2147483647", token)).toBe(404)
    })
  )

  it.effect("treat a semicolon as a character like any other", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const id of ["1;2", "1;", "1;zzz", "1%3B2", ";1", "1;a=b?c=d"]) {
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* sendJson(method, `/api/Actions/${id}`, { token })
          expectError(answer, 400, /id must be a whole number from 1 to 2147483647/)
        }
      }
      expect(yield* statusOf("GET", "/api/Actions/1?a=b;c", token)).toBe(200)
      for (const path of ["/api/Actions;", "/api/Actions;x=1", "/health/live;x", "/health;/live", "/docs;x"]) {
        expectError(yield* sendJson("GET", path, { token }), 404, /There is no route GET \//)
        expectError(yield* sendJson("PATCH", path, { token }), 404, /There is no route PATCH \//)
      }
      expectError(yield* sendJson("GET", "/api/Actions/1;%zz", { token }), 400, /Write %25/)
    })
  )

  it.effect("answer HEAD like GET, without the body", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const path of ["/api/Actions", "/api/Actions/1", "/health/ready", "/openapi.json", "/docs"]) {
        const got = yield* sendJson("GET", path, { token })
        const head = yield* sendJson("HEAD", path, { token })
        expect([head.status, head.text]).toEqual([200, ""])
        for (const name of ["content-type", "content-length", "etag", "content-security-policy"]) {
          expect([path, name, head.headers.get(name)]).toEqual([path, name, got.headers.get(name)])
        }
      }
      expect((yield* send("HEAD", "/api/Actions/1")).status).toBe(401)
    })
  )
})
