import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { send, sendJson, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"

layer(testApp({ ROLE: "web" }), { excludeTestServices: true })("A worker", (it) => {
  it.effect("serves its health checks and nothing else, and does the work that web nodes leave", () =>
    Effect.gen(function* () {
      const asked = yield* sendJson("POST", "/api/Auth/request-password-reset", {
        body: { email: "agent@acme.example" }
      })
      expect(asked.status).toBe(200)
      yield* onAnotherNode({ ROLE: "worker" })(
        Effect.gen(function* () {
          for (const path of ["/health/live", "/health/ready"]) expect((yield* send("GET", path)).status).toBe(200)
          for (const path of ["/api/Actions", "/docs", "/openapi.json", "/healthy", "/tickets"]) {
            expect((yield* send("GET", path)).status).toBe(404)
          }
          expect((yield* sendJson("POST", "/api/Auth/login", { body: {} })).status).toBe(404)
          const { next } = yield* TestMailer
          expect(yield* next).toMatchObject({ to: "agent@acme.example" })
        })
      )
      yield* eventually(send("GET", "/health/ready"), ({ status }) => status === 200)
    })
  )
})
