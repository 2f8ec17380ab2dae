import { HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Runtime } from "effect"
import { eventually } from "../support/Eventually.ts"
import { bomb, flooding, hanging, redirecting, trickling } from "../support/Hostile.ts"
import { clientOf, login, send, sendJson } from "../support/TestApp.ts"
import { retrievalOf, upstreamApp } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

const retrieve = (id: number) =>
  Effect.flatMap(login("acme-admin"), (token) => sendJson("POST", `/api/Documents/${id}/retrieve`, { token, body: {} }))

layer(upstreamApp(Duration.seconds(1)), { excludeTestServices: true })("The limits of data retrieval", (it) => {
  it.effect("end responses that hang, trickle, flood, explode or redirect, while the service goes on", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const hostile = {
        "/hangs": hanging,
        "/trickles": trickling,
        "/floods": flooding,
        "/explodes": bomb(),
        "/redirects": redirecting("http://localhost:22/")
      }
      const token = yield* login("acme-admin")
      const attempts = yield* Effect.forEach(Object.entries(hostile), ([path, behaviour]) =>
        Effect.zipRight(upstream.on(path, behaviour), retrievalOf(path))
      )
      const [took, answers] = yield* Effect.timed(
        Effect.all(
          [
            ...attempts.map((id) => sendJson("POST", `/api/Documents/${id}/retrieve`, { token, body: {} })),
            sendJson("GET", "/api/Documents", { token })
          ],
          { concurrency: "unbounded" }
        )
      )
      expect(answers.map(({ status }) => status)).toEqual([502, 502, 502, 502, 502, 200])
      for (const { json } of answers.slice(0, 5)) {
        expect(json).toMatchObject({
          status: 502,
          error: "Bad Gateway",
          message: expect.stringMatching(/^127\.0\.0\.1:/)
        })
      }
      expect(Duration.toMillis(took)).toBeLessThan(30_000)
      yield* upstream.deserted
      expect((yield* send("GET", "/health/live")).status).toBe(200)
    })
  )

  it.effect("let nobody reach the service itself or a closed port", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "TcpAddress" ? address.port : 0
      const before = (yield* upstream.requests).length
      for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f000001", "169.254.169.254"]) {
        const id = yield* retrievalOf(`http://${host}:${port}/health/live`)
        expect(yield* retrieve(id)).toMatchObject({
          status: 400,
          json: { status: 400, message: expect.stringContaining("are not allowed") }
        })
      }
      expect(yield* upstream.requests).toHaveLength(before)
    })
  )

  it.effect("apply to the call, not to saving the document", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("acme-admin")
      const document = yield* documents.createDocument({
        payload: { name: "Metadata", isDataRetrievalProcess: true, apiEndpoint: "http://169.254.169.254/latest" }
      })
      expect(document.apiEndpoint).toBe("http://169.254.169.254/latest")
    })
  )
})

layer(upstreamApp(Duration.minutes(2)), { excludeTestServices: true })("A data retrieval", (it) => {
  it.effect("holds no database connection while the external API thinks", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const sql = yield* SqlClient.SqlClient
      const runFork = Runtime.runFork(yield* Effect.runtime())
      const token = yield* login("acme-admin")
      const id = yield* retrievalOf("/thinks")
      const inTransaction = sql`select query from pg_stat_activity
        where state = 'idle in transaction' and datname = current_database()`
      // The API answers only once no transaction is open: a caller that waits inside of one waits in vain.
      yield* upstream.on("/thinks", (_, response) => {
        runFork(
          Effect.matchEffect(
            eventually(inTransaction, (rows) => rows.length === 0),
            {
              onFailure: ({ message }) => Effect.sync(() => response.end(message)),
              onSuccess: () => Effect.sync(() => response.end("done"))
            }
          )
        )
      })
      const headers = { "idempotency-key": "thinks" }
      const { json } = yield* sendJson("POST", `/api/Documents/${id}/retrieve`, { token, body: {}, headers })
      expect(json).toMatchObject({ body: "done" })
    })
  )
})
