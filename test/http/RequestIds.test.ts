import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { send, testApp } from "../support/TestApp.ts"
import { sendRaw } from "./RawRequest.ts"

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const idFor = (given: string) =>
  Effect.map(send("GET", "/nothing", { headers: { "x-request-id": given } }), (answer) => {
    expect(answer.json).toMatchObject({ requestId: answer.headers.get("x-request-id") })
    return answer.headers.get("x-request-id")
  })

layer(testApp(), { excludeTestServices: true })("Request ids", (it) => {
  it.effect("are on every response and differ", () =>
    Effect.gen(function* () {
      const ids = new Set<string | null>()
      const paths = ["/health/live", "/health/ready", "/docs", "/openapi.json", "/api/Actions", "/nothing"]
      for (const path of paths) ids.add((yield* send("GET", path)).headers.get("x-request-id"))
      expect(ids.size).toBe(paths.length)
      for (const id of ids) expect(id).toMatch(guid)
    })
  )

  it.effect("are taken from the caller when they are safe", () =>
    Effect.gen(function* () {
      for (const id of ["a", "trace-1.2:3_4/5+6=@", "x".repeat(128)]) expect(yield* idFor(id)).toBe(id)
    })
  )

  it.effect("are replaced when the caller's are not safe", () =>
    Effect.gen(function* () {
      for (const id of ["", "x".repeat(129), "a b", "a,b", 'a"b', "<script>", "a;b", "ü", "{}", "a\tb"]) {
        expect(yield* idFor(id)).toMatch(guid)
      }
      const twice =
        "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\nX-Request-Id: two\r\nConnection: close\r\n\r\n"
      expect((yield* sendRaw(twice)).headers.get("x-request-id")).toMatch(guid)
    })
  )
})
