import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schedule, Schema } from "effect"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { mail } from "../support/Mails.ts"

const port = Number(process.env["PORT"] ?? 3000)
const service = `http://localhost:${port}`
const address = "support@acme.example"

const Channels = Schema.Array(Schema.Struct({ channelID: Schema.Int, channelType: Schema.String }))
const Tickets = Schema.Struct({
  items: Schema.Array(Schema.Struct({ ticketID: Schema.Int, subject: Schema.NullOr(Schema.String) }))
})
const Messages = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({
      messageID: Schema.Int,
      fromAddress: Schema.NullOr(Schema.String),
      status: Schema.NullOr(Schema.String)
    })
  )
})

const ask = <A, I>(method: string, path: string, Answer: Schema.Schema<A, I>, token = "", body?: unknown) =>
  Effect.tryPromise(async () => {
    const response = await fetch(service + path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`)
    const isJson = text !== "" && response.headers.get("content-type")?.includes("json") === true
    const answer: unknown = isJson ? JSON.parse(text) : {}
    return answer
  }).pipe(Effect.flatMap(Schema.decodeUnknown(Answer)))

const patiently = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(240))

/** The service itself, in a folder of its own, with the simulated provider as its mail provider. */
const startService = Effect.gen(function* () {
  const graph = yield* GraphServer
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "casework-demo-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["dist/src/main.js"], {
        stdio: ["ignore", "ignore", "inherit"],
        env: {
          ...process.env,
          PORT: String(port),
          DATA_DIR: folder,
          BASE_URL: service,
          GRAPH_BASE_URL: graph.graphUrl,
          OUTBOUND_ALLOW: `127.0.0.1:${graph.port}`
        }
      })
    ),
    (child) =>
      Effect.async<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  yield* Effect.retry(ask("GET", "/health/ready", Schema.Unknown), patiently)
})

/** A mail arrives, becomes a ticket, and is answered. */
const story = Effect.gen(function* () {
  const graph = yield* GraphServer
  const login = { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" }
  const { token } = yield* ask("POST", "/api/Auth/login", Schema.Struct({ token: Schema.String }), "", login)
  yield* ask("PUT", "/api/Customers/me", Schema.Unknown, token, {
    emailProviderType: "MicrosoftGraph",
    mailProviderTenantID: simulatedCredentials.tenantID,
    mailProviderClientID: simulatedCredentials.clientID,
    mailProviderClientSecret: simulatedCredentials.clientSecret,
    mailProviderAuthorityURL: graph.authorityUrl
  })
  const channels = yield* ask("GET", "/api/Channels", Channels, token)
  const { channelID } = yield* Effect.fromNullable(channels.find(({ channelType }) => channelType === "Email"))
  yield* ask("POST", `/api/MailWebhook/subscribe/${channelID}`, Schema.Unknown, token)
  yield* Console.log(`\nThe provider tells about new mail to ${address} from now on.`)

  const subject = "My key does not turn"
  yield* graph.arrive(
    address,
    mail({ subject, to: [address], text: "I am standing in front of my door. Please help!" })
  )
  yield* Console.log(`A mail arrives: "${subject}"`)
  const { ticketID } = yield* ask("GET", `/tickets?channelIDs=${channelID}&pageSize=200`, Tickets, token).pipe(
    Effect.flatMap(({ items }) => Effect.fromNullable(items.find((ticket) => ticket.subject === subject))),
    Effect.retry(patiently)
  )
  const read = ask("GET", `/ticketMessages?ticketId=${ticketID}&sortBy=messageID`, Messages, token)
  const [message] = (yield* read).items
  yield* Console.log(`It is ticket ${ticketID}, from ${message?.fromAddress}.`)

  const modifiedAnswer = "We are on our way. Please wait ten minutes."
  yield* ask("POST", `/ticketMessages/${message?.messageID}/send`, Schema.Unknown, token, { modifiedAnswer })
  const sent = yield* Effect.sync(() =>
    [...graph.mailbox(address).messages.values()].find(({ folderID }) => folderID === "AAMk-sent")
  ).pipe(Effect.flatMap(Effect.fromNullable), Effect.retry(patiently))
  yield* Console.log(
    `The answer "${String(sent.fields["subject"])}" left once, in the thread, as ${String(sent.fields["internetMessageId"])}.`
  )
  yield* Console.log(
    `\nThe service goes on at ${service}/docs, with the simulated mailbox behind it. Ctrl+C ends both.`
  )
})

NodeRuntime.runMain(
  startService.pipe(
    Effect.zipRight(story),
    Effect.zipRight(Effect.never),
    Effect.scoped,
    Effect.provide(GraphServer.layer)
  )
)
