import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CustomerID, type TicketID } from "../../schema/Ids.ts"
import { Reactions } from "../../src/events/EventHooks.ts"
import { Events } from "../../src/events/Events.ts"
import { capturedLog } from "../http/CapturedLog.ts"
import { eventually } from "../support/Eventually.ts"
import { testNode } from "../support/TestApp.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { type HubPeer, nextTold, repPeer, toldMessage } from "./HubTools.ts"

const acme = CustomerID.make(1)

const log = capturedLog()

const quietNode = testNode(TestDatabase, {}, log.layer).pipe(Layer.provide(Layer.succeed(Reactions, () => undefined)))

/** Has a text where a number belongs, so reading it fails every time. */
const unreadable = (ticketID: TicketID) =>
  ({ kind: "AgentJoined", ticketID, details: { customerRepID: "nobody" } }) as const

/** Much sooner than an unreadable event would be given up if it were tried again and again. */
const soon = <A, E, R>(heard: Effect.Effect<A, E, R>) =>
  heard.pipe(Effect.timeoutFail({ duration: "1 minute", onTimeout: () => "nothing was told" }))

const unreadableOnes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ eventID: string }>`
    select event_id::text as "eventID" from event
    where customer_id = ${acme} and details->>'customerRepID' = 'nobody' order by event_id`
  return rows.map(({ eventID }) => eventID)
})

const logged = Effect.sync(() =>
  log.entries().flatMap(({ annotations, message }) => (/cannot be read/.test(String(message)) ? [annotations] : []))
)

/** A representative who has been told about a message, and the message. */
const informed = Effect.gen(function* () {
  const rep = yield* repPeer("acme-agent")
  const sent = yield* newMessage({})
  yield* toldMessage(rep, sent.messageID)
  log.clear()
  return { rep, ...sent }
})

layer(quietNode, { excludeTestServices: true })("Events that cannot be read", (it) => {
  it.scoped("do not hold up other events of any customer, and are named in the log", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const other = yield* repPeer("globex-admin")
      const { messageID, rep, ticketID } = yield* informed
      const readable = { kind: "MessageAdded", ticketID, ticketMessageID: messageID } as const
      yield* events.record(acme, [readable, unreadable(ticketID), readable, readable, unreadable(ticketID), readable])
      const elsewhere = yield* newMessage({}, "globex-admin")
      yield* soon(toldMessage(other, elsewhere.messageID))
      yield* soon(Effect.repeatN(nextTold(rep, "MessageReceived"), 3))
      const eventIDs = yield* unreadableOnes
      const entries = yield* eventually(logged, (all) => eventIDs.every((id) => JSON.stringify(all).includes(id)))
      for (const entry of entries) expect(entry).toMatchObject({ customerID: acme })
    })
  )

  // The embedded database has no heartbeats, so nothing is looked up there.
  if (onPostgres) {
    /** Records an event without a notification, so that only a heartbeat finds it. */
    const tellNobody = ({ messageID, rep, ticketID }: { messageID: number; rep: HubPeer; ticketID: number }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into event (customer_id, kind, ticket_id, ticket_message_id)
          values (${acme}, 'MessageReceived', ${ticketID}, ${messageID})`
        yield* toldMessage(rep, messageID)
      })

    it.scoped("are not looked up again by each heartbeat", () =>
      Effect.gen(function* () {
        const sent = yield* informed
        yield* Effect.flatMap(Events, (events) => events.record(acme, [unreadable(sent.ticketID)]))
        yield* eventually(logged, (all) => all.length > 0, "1 minute")
        yield* Effect.repeatN(tellNobody(sent), 1)
        const eventID = (yield* unreadableOnes).at(-1)
        expect(yield* logged).toEqual([expect.objectContaining({ customerID: acme, eventIDs: eventID })])
      })
    )
  }
})
