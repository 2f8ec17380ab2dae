import { expect, it, layer } from "@effect/vitest"
import { Array as Arr, Context, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Tokens } from "../../src/auth/Tokens.ts"
import { Events } from "../../src/events/Events.ts"
import type { Database } from "../../src/platform/database/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { field } from "../support/Fields.ts"
import { acmeAdmin } from "../support/Logins.ts"
import { freePort } from "../support/Processes.ts"
import { clientOf, login, quietApp, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { nextTold, peer, repPeer, say, toldMessage, visitorPeer } from "./HubTools.ts"
import { frame, handshake, rawHub } from "./RawHub.ts"

layer(quietApp(), { excludeTestServices: true })("A connection", (it) => {
  it.scoped("ends when its token does", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const lasting = (seconds: number) =>
        Effect.flatMap(
          tokens.forRep(acmeAdmin, { lifetime: Duration.seconds(seconds), impersonated: false }),
          (token) => peer("", { token, reconnect: [0, 100], skipNegotiation: true })
        )
      // On a slow machine the token may expire while connecting.
      const rep = yield* Effect.firstSuccessOf([2, 4, 8, 16].map(lasting))
      expect((yield* rep.ended)?.message).toMatch(/token has expired/)
    })
  )

  it.scoped("ends when its representative gets a new password, while the others go on", () =>
    Effect.gen(function* () {
      const { representatives } = yield* clientOf("acme-admin")
      const { customerRepID } = yield* representatives.createCustomerRep({
        payload: { username: "short-lived", password: "Demo-Pass-1", name: "Short", email: "s@acme.example" }
      })
      const token = yield* login("short-lived")
      const rep = yield* peer("", { token })
      const other = yield* repPeer("acme-agent")
      yield* Effect.all(
        [
          rep.ended,
          representatives.changePassword({
            path: { id: customerRepID },
            payload: { customerRepID, newPassword: "Another-Pass-1" }
          })
        ],
        { concurrency: 2 }
      )
      const { messageID } = yield* newMessage({})
      yield* toldMessage(other, messageID)
    })
  )

  it.scoped("survives bursts of many or large events as long as the client reads", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      const events = yield* Events
      for (const [message, times] of [
        ["short", 500],
        ["long ".repeat(20_000), 60]
      ] as const) {
        const sent = yield* newMessage({ message, senderType: "CustomerRep", status: "Sent" })
        const event = { kind: "MessageAdded", ticketID: sent.ticketID, ticketMessageID: sent.messageID } as const
        yield* events.record(CustomerID.make(1), Arr.replicate(event, times))
        yield* Effect.repeatN(nextTold(rep, "MessageReceived"), times)
      }
    })
  )

  it.scoped("is cut off when the client does not read, and holds up nobody", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      const slow = yield* rawHub(`?access_token=${yield* login("acme-agent")}`)
      yield* slow.send(frame(handshake))
      yield* slow.next
      slow.socket.pause()
      const { ticketID } = yield* newMessage({})
      const gone = yield* Effect.forkScoped(slow.closed)
      const message = "long ".repeat(48_000)
      for (let at = 0; at < 200 && slow.socket.readyState === "open"; at++) {
        yield* newMessage({ ticketID, message, senderType: "CustomerRep", status: "Sent" })
        yield* eventually(nextTold(rep, "MessageReceived"), (told) => field(told, "message") === message)
        // The other side's end is noticed only by reading or by writing, so it writes.
        slow.socket.write(frame('{"type":6}\u001e'))
      }
      yield* gone
    })
  )
})

/** A node on a given port that can be told to stop, on a database that outlives it. */
const startNode = (database: Context.Context<Database>, port: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const node = yield* Layer.buildWithScope(testNode(Layer.succeedContext(database), { PORT: port }), scope)
    return { services: Context.merge(node, database), stop: Scope.close(scope, Exit.void) }
  })

it.live("A node that stops closes its connections politely, and clients reconnect to the next node and go on", () =>
  Effect.gen(function* () {
    const database = yield* Layer.build(TestDatabase)
    const port = String(yield* freePort)
    const first = yield* startNode(database, port)
    const chat = Effect.gen(function* () {
      const visitor = yield* visitorPeer({ reconnect: Array.from({ length: 600 }, () => 100) })
      const sent = yield* say(visitor, "Before")
      return { visitor, sent }
    })
    const { sent, visitor } = yield* Effect.provide(chat, first.services)
    const back = yield* Effect.fork(
      Effect.async<void>((resume) => visitor.connection.onreconnected(() => resume(Effect.void)))
    )
    yield* Effect.yieldNow()
    yield* first.stop.pipe(Effect.timeout("2 minutes"))
    const second = yield* startNode(database, port)
    yield* Fiber.join(back)
    yield* visitor.invoke("ResumeChat", sent.ticketToken)
    expect((yield* say(visitor, "After")).ticketID).toBe(sent.ticketID)
    yield* Effect.promise(() => visitor.connection.stop())
    yield* second.stop
  }).pipe(Effect.scoped)
)
