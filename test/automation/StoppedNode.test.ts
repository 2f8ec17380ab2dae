import { setImmediate } from "node:timers/promises"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { eventually } from "../support/Eventually.ts"
import { numberIn } from "../support/Fields.ts"
import { baseUrl, login, sendJson, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

const listens = Effect.flatMap(baseUrl, (base) =>
  Effect.promise(() =>
    fetch(base).then(
      () => true,
      () => false
    )
  )
)

/** Closing anything that need not wait takes fewer turns of the event loop than this. */
const whatClosesAtOnce = Effect.repeatN(
  Effect.promise(() => setImmediate()),
  1000
)

layer(UpstreamServer.layer, { excludeTestServices: true })("A node that is told to stop", (it) => {
  it.scoped("lets a running call finish, and keeps everything open that the call needs", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      let answer = () => {}
      yield* upstream.on("/order", (_, response) => {
        answer = () => void response.end("taken")
      })
      const database = yield* Layer.build(TestDatabase)
      const scope = yield* Scope.make()
      const node = yield* Layer.buildWithScope(
        testNode(Layer.succeedContext(database), { OUTBOUND_ALLOW: `127.0.0.1:${upstream.port}` }, undefined, {
          within: Duration.seconds(50)
        }),
        scope
      )
      const ask = (path: string, body: unknown, token: string) =>
        Effect.map(sendJson("POST", path, { token, body }), ({ json }) => json)
      yield* Effect.gen(function* () {
        const token = yield* login("acme-admin")
        const document = yield* ask(
          "/api/Documents",
          {
            name: "Order",
            isDataRetrievalProcess: true,
            overrideApiBaseUrl: upstream.url,
            overrideApiAuthenticationType: "None",
            apiEndpoint: "/order",
            apiMethod: "POST"
          },
          token
        )
        const documentID = numberIn(document, "documentID")
        const action = { name: "Order", priority: 1, isActive: true, operation: "CallApi", parameters: { documentID } }
        const actionID = numberIn(yield* ask("/api/Actions", action, token), "actionID")
        yield* ask("/api/hookactions", { hookName: "OnMessageReceived", actionID, priority: 100 }, token)
        yield* ask("/ticketMessages/create-new", { channelID: 1, fromAddress: "a@b.example", message: "One" }, token)
      }).pipe(Effect.provide(node))
      yield* eventually(upstream.requests, (requests) => requests.length === 1)
      const stopped = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* eventually(Effect.provide(listens, node), (is) => !is)
      yield* whatClosesAtOnce
      answer()
      yield* Fiber.join(stopped)
      const sql = Context.get(database, SqlClient.SqlClient)
      const rows = yield* sql`select status, error from message_action where customer_id = 1 and operation = 'CallApi'
        and name = 'Order' order by message_action_id`
      expect(rows).toEqual([{ status: "Done", error: null }])
      expect(yield* upstream.requests).toHaveLength(1)
    })
  )
})
