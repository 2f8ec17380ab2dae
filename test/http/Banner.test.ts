import { SqlClient } from "@effect/sql"
import { expect, layer, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Banner } from "../../src/Banner.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { send, testApp } from "../support/TestApp.ts"

/** The startup banner of a node. */
const banner = Effect.acquireUseRelease(
  Effect.sync(() => vi.spyOn(console, "log").mockImplementation(() => undefined)),
  (log) => Effect.map(Effect.scoped(Layer.build(Banner)), () => log.mock.calls.join("\n")),
  (log) => Effect.sync(() => log.mockRestore())
)

/** The pages that the banner lists. */
const pathsIn = (text: string) => [...text.matchAll(/http:\/\/localhost:\d+(\/\S+)/g)].map(([, path = ""]) => path)

/** The status of a page, requested with the metrics token. */
const statusOf = (path: string) =>
  Effect.map(send("GET", path, { headers: { authorization: "Bearer test-metrics-token" } }), ({ status }) => status)

layer(testApp({ DEMO: "true" }), { excludeTestServices: true })("The banner", (it) => {
  it.effect("lists the pages and the demo login", () =>
    Effect.gen(function* () {
      const text = yield* banner
      expect(text).toMatch(/^\nCasework is ready\.\n {2}Address {2}http:\/\/localhost:\d+ \(public: https:/)
      expect(text).toContain("Login    username acme-admin")
      expect(pathsIn(text)).toEqual(["/docs", "/desk", "/demo/chat"])
      for (const path of pathsIn(text)) expect(yield* statusOf(path), path).toBe(200)
    })
  )

  it.effect("omits the login and the chat when the demo user is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rename = (from: string, to: string) => sql`
        /* all customers: by hand */ update customer_rep set username = ${to} where username = ${from}`
      const text = yield* Effect.acquireUseRelease(
        rename("acme-admin", "somebody"),
        () => banner,
        () => Effect.orDie(rename("somebody", "acme-admin"))
      )
      expect(text).not.toMatch(/Login|Chat/)
    })
  )

  for (const [METRICS_TOKEN, paths] of [
    ["test-metrics-token", ["/health/ready", "/metrics"]],
    ["", ["/health/ready"]]
  ] as const) {
    it.effect(`lists only what a worker ${METRICS_TOKEN === "" ? "without" : "with"} METRICS_TOKEN serves`, () =>
      Effect.gen(function* () {
        const text = yield* banner
        expect(text).not.toMatch(/Login|public/)
        expect(pathsIn(text)).toEqual(paths)
        for (const path of paths) expect(yield* statusOf(path), path).toBe(200)
      }).pipe(onAnotherNode({ ROLE: "worker", DEMO: "true", METRICS_TOKEN }))
    )
  }
})
