import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { headerOf, send, testApp } from "../support/TestApp.ts"

const inlined = (html: string, tag: string) =>
  Effect.fromNullable(new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html)?.[1])

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

layer(testApp(), { excludeTestServices: true })("The page behind a reset link", (it) => {
  it.effect("runs its own script and nothing else, and leaves no trace of the token", () =>
    Effect.gen(function* () {
      const answer = yield* send("GET", "/reset-password?token=a-secret-token")
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toContain("text/html")
      expect(answer.headers.get("cache-control")).toBe("no-store")
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
      const policy = headerOf(answer, "content-security-policy")
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain(`script-src ${hash(yield* inlined(answer.text, "script"))}`)
      expect(policy).toContain(`style-src ${hash(yield* inlined(answer.text, "style"))}`)
      expect(answer.text).not.toContain("a-secret-token")
      expect(answer.text).not.toMatch(/https?:\/\//)
    })
  )
})
