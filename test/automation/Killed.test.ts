import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import pg from "pg"
import { TicketMessage } from "../../schema/TicketMessages.ts"
import { eventually } from "../support/Eventually.ts"
import { channelIn, numberIn } from "../support/Fields.ts"
import { answering } from "../support/Hostile.ts"
import { ask, loginTo, root, startNode } from "../support/Processes.ts"
import { sharedData } from "../support/SharedData.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

/** For how many more seconds a dead node's claim holds. */
const claimLeft = (url: string, messageID: number) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ seconds: number }>(
      `select extract(epoch from due_at - now())::float8 as seconds from job
      where customer_id = 1 and kind = 'RunPipeline' and status = 'Running' and payload ->> 'ticketMessageID' = $1`,
      [String(messageID)]
    )
    await client.end()
    return rows.map(({ seconds }) => seconds)
  })

layer(UpstreamServer.layer, { excludeTestServices: true })("A process that is killed with -9", (it) => {
  it.scoped("leaves its work to another one, which takes over within 30 seconds, finishes it and repeats nothing", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => promisify(execFile)(process.execPath, ["esbuild.config.mjs"], { cwd: root }))
      const upstream = yield* UpstreamServer
      yield* upstream.on("/before", answering(200, "before"))
      yield* upstream.on("/behind", answering(200, "behind"))
      // The request arrives but is never answered: here the process dies.
      yield* upstream.on("/order", () => undefined)
      const data = yield* sharedData
      const env = { ...data, AI_PROVIDER: "sandbox", OUTBOUND_ALLOW: `127.0.0.1:${upstream.port}` }
      const first = yield* startNode(env)
      // The second node is there from the start, but frozen, so that the first one gets the work.
      const waiting = "DATABASE_URL" in data ? yield* startNode(env) : undefined
      yield* waiting?.freeze ?? Effect.void
      const token = yield* loginTo(first)

      const channels = yield* ask(first, "GET", "/api/Channels", token)
      const channelID = numberIn(channelIn(channels, "Email"), "channelID")
      for (const [index, [path, apiMethod]] of (
        [
          ["/before", "POST"],
          ["/order", "POST"],
          ["/behind", "POST"]
        ] as const
      ).entries()) {
        const document = yield* ask(first, "POST", "/api/Documents", token, {
          name: `Call ${path}`,
          isDataRetrievalProcess: true,
          overrideApiBaseUrl: upstream.url,
          overrideApiAuthenticationType: "None",
          apiEndpoint: path,
          apiMethod
        })
        const action = yield* ask(first, "POST", "/api/Actions", token, {
          name: `Call ${path}`,
          priority: 1,
          isActive: true,
          operation: "CallApi",
          parameters: { documentID: numberIn(document, "documentID"), field: path.slice(1) }
        })
        yield* ask(first, "POST", "/api/hookactions", token, {
          hookName: "OnMessageReceived",
          actionID: numberIn(action, "actionID"),
          priority: 100 - index
        })
      }
      const created = yield* ask(first, "POST", "/ticketMessages/create-new", token, {
        channelID,
        message: "My trombone squeaks",
        fromAddress: "tenant@mail.example"
      })
      const messageID = numberIn(created, "messageID")
      const calls = Effect.map(upstream.requests, (requests) => requests.map(({ url }) => url))
      yield* eventually(calls, (urls) => urls.includes("/order"))

      yield* first.kill
      yield* waiting?.goOn ?? Effect.void
      if ("DATABASE_URL" in data) {
        const [seconds = 0, ...others] = yield* claimLeft(data.DATABASE_URL, messageID)
        expect([seconds <= 25, others]).toEqual([true, []])
      }
      const second = waiting ?? (yield* startNode(env))
      const read = Effect.flatMap(
        ask(second, "GET", `/ticketMessages/${messageID}`, token),
        Schema.decodeUnknown(TicketMessage)
      )
      const message = yield* eventually(read, ({ status }) => status === "Drafted")
      const results = message.actions.filter(({ operation }) => operation === "CallApi")
      expect(results.map(({ error, name, status }) => [name, status, error])).toEqual([
        ["Call /before", "Done", null],
        ["Call /order", "Failed", expect.stringContaining("The call was interrupted")],
        ["Call /behind", "Done", null]
      ])
      expect(yield* calls).toEqual(["/before", "/order", "/behind"])
    })
  )
})
