import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { joinUrl, retrievalUrl } from "../../src/documents/RetrievalUrl.ts"

const urlOf = (base: string | null, endpoint: string, values: Readonly<Record<string, string>> = {}) =>
  Effect.runSync(Effect.either(retrievalUrl(base, endpoint, (name) => values[name])))

describe("the address of a retrieval", () => {
  it.each([
    ["https://api.example", "users", "https://api.example/users"],
    ["https://api.example/", "/users", "https://api.example/users"],
    ["https://api.example/v1//", "//users/1", "https://api.example/v1/users/1"],
    ["https://api.example/v1", "?a=1", "https://api.example/v1/?a=1"],
    ["https://api.example/v1", "//evil.example/x", "https://api.example/v1/evil.example/x"],
    ["https://api.example/v1", "https://other.example/x", "https://other.example/x"]
  ])("joins %s and %s with exactly one slash", (base, endpoint, expected) => {
    expect(joinUrl(base, endpoint)).toBe(expected)
  })

  it("needs a base only for a relative endpoint", () => {
    expect(urlOf(null, "https://api.example/x")).toMatchObject({ right: "https://api.example/x" })
    expect(urlOf(null, "/x")).toMatchObject({ left: { _tag: "BadRequest" } })
    expect(urlOf("https://api.example/?a=1", "/x")).toMatchObject({ left: { _tag: "BadRequest" } })
    expect(urlOf("ftp://api.example", "/x")).toMatchObject({ left: { _tag: "BadRequest" } })
    expect(urlOf("https://user:pass@api.example", "/x")).toMatchObject({ left: { _tag: "BadRequest" } })
  })

  it.each([".", "..", "%2e%2e", "../../admin", "a/../b"])(
    "does not let the value %s climb out of its path segment",
    (value) => {
      const result = urlOf("https://api.example/v1", "/users/{{id}}", { id: value })
      const path = result._tag === "Right" ? new URL(result.right).pathname : "/v1/users/refused"
      expect(path).toMatch(/^\/v1\/users\/[^/]+$/)
    }
  )

  it("does not let values combine into a path that climbs", () => {
    expect(urlOf("https://api.example/v1", "/users/{{a}}{{a}}/x", { a: "." })).toMatchObject({
      left: { _tag: "BadRequest" }
    })
  })
})
