import { SqlClient, Statement } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { answering } from "../support/Hostile.ts"
import { clientOf } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { retrievalOf } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { messagesOf, newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { newChannel, newTopic } from "../topics/Mappings.ts"
import { allEventsOf, nothingLeft, onHook, onTopic, readTicket, stepsOf, workLeft } from "./AutomationTools.ts"
import { type Life, mortalNode } from "./MortalNode.ts"

const life: Life = { isDead: false, isIdle: false, writes: 0, lastWrite: 0 }

const mortalApp = Layer.unwrapEffect(
  Effect.map(UpstreamServer, ({ port }) => mortalNode(TestDatabase, life, { OUTBOUND_ALLOW: `127.0.0.1:${port}` }))
).pipe(Layer.provideMerge(UpstreamServer.layer))

const steps = [
  "OnTicketCreated",
  "OnPhonePickup",
  "OnChatStarted",
  "OnMessageReceived",
  "PreSpam",
  "Spam check",
  "Language",
  "Topics",
  "OnTopicsDetected",
  "Topic actions",
  "Draft",
  "OnDraftReady"
]

/** A channel whose messages trigger every kind of action that reaches outside. */
const prepare = Effect.gen(function* () {
  const upstream = yield* UpstreamServer
  yield* upstream.on("/order", answering(200, "ordered"))
  yield* upstream.on("/look", answering(200, "seen"))
  yield* upstream.on("/ask", answering(200, "told"))
  const order = yield* retrievalOf("/order?ticket={{Ticket.id}}", { name: "Order", apiMethod: "POST" })
  const look = yield* retrievalOf("/look?ticket={{Ticket.id}}", { name: "Look" })
  const ask = yield* retrievalOf("/ask?ticket={{Ticket.id}}", { name: "Ask", apiMethod: "POST" })
  const { documents, topicDocuments } = yield* clientOf("acme-admin")
  const { documentID } = yield* documents.createDocument({
    payload: { name: "Note", content: "We are on it", isDataRetrievalProcess: false }
  })
  const channelID = yield* newChannel("acme-admin")
  yield* onHook("OnTicketCreated", { operation: "CallApi", parameters: { documentID: order }, channelID })
  yield* onHook("OnTopicsDetected", { operation: "SendDocument", parameters: { documentID }, channelID })
  yield* onHook("OnDraftReady", { operation: "NotifyEmail", parameters: { to: "boss@acme.example" }, channelID })
  yield* topicDocuments.createTopicDocument({ payload: { hookName: "All", channelID, documentID: ask } })
  const { topicID } = yield* newTopic("acme-admin", "Trombone")
  yield* onTopic(topicID, { operation: "CallApi", parameters: { documentID: look } })
  return channelID
})

/** Lets the dead node's claims expire and brings a node back. */
const restart = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  life.isDead = false
  life.lastWrite = 0
  yield* sql`update job set due_at = now() where customer_id = 1 and status in ('Queued', 'Running')`
})

const isBehind = (id: TicketMessageID) =>
  Effect.map(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        select 1 from pipeline_step
        where customer_id = 1 and ticket_message_id = ${id} and step = 'OnDraftReady'`
    ),
    (rows) => rows.length > 0
  )

const mails = Effect.gen(function* () {
  const mailer = yield* TestMailer
  return yield* Effect.flatMap(mailer.count, (count) => Effect.replicateEffect(mailer.next, count))
})

const requestsFor = (path: string) =>
  Effect.flatMap(UpstreamServer, ({ requests }) =>
    Effect.map(requests, (all) => all.filter(({ url }) => url === path).length)
  )

const keptFor = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select error from draft_call where customer_id = 1 and ticket_message_id = ${id}`
  )

layer(mortalApp, { excludeTestServices: true })("A node that dies", (it) => {
  it.effect(
    "leaves work that the next node finishes, each action once and in order, whichever write it dies before",
    () =>
      Effect.gen(function* () {
        const channelID = yield* prepare
        const ends = new Set<string>()
        const asks = new Set<number>()
        let lastWrite = 0
        let died = true
        while (died) {
          lastWrite += 1
          life.isIdle = true
          // Each from a different address: so many answers to one would look like a mail loop.
          const fromAddress = `tenant-${lastWrite}@mail.example`
          const { messageID, ticketID } = yield* newMessage({ channelID, message: "My trombone squeaks", fromAddress })
          Object.assign(life, { isIdle: false, writes: 0, lastWrite })
          yield* eventually(
            Effect.map(isBehind(messageID), (isOver) => life.isDead || isOver),
            (isOver) => isOver
          )
          // The node may also die in the work that follows from the pipeline.
          yield* eventually(
            Effect.map(workLeft, (rows) => life.isDead || rows.length === 0),
            (isOver) => isOver
          )
          died = life.isDead
          yield* restart
          yield* eventually(isBehind(messageID), (isOver) => isOver)
          yield* nothingLeft

          const where = `killed before write ${lastWrite}`
          const message = yield* readMessage(messageID)
          expect(message.status, where).toBe("Drafted")
          expect(
            (yield* stepsOf(messageID)).map(([what]) => what),
            where
          ).toEqual(steps)
          const [order, note, look, notify, ...others] = message.actions
          expect(others, where).toEqual([])
          const ordered = yield* requestsFor(`/order?ticket=${ticketID}`)
          if (order?.status === "Done") expect(ordered, where).toBe(1)
          else {
            expect(order, where).toMatchObject({ status: "Failed", error: expect.stringContaining("interrupted") })
            expect(ordered, where).toBeLessThanOrEqual(1)
          }
          ends.add(`${order?.status} ${ordered}`)
          // A draft makes its API call once at most, and leaves no stored result of it.
          const asked = yield* requestsFor(`/ask?ticket=${ticketID}`)
          expect(asked, where).toBeLessThanOrEqual(1)
          expect(yield* keptFor(messageID), where).toEqual([])
          asks.add(asked)
          expect([note, look, notify], where).toMatchObject([
            { operation: "SendDocument", status: "Done", hookName: "OnTopicsDetected" },
            { operation: "CallApi", status: "Done", hookName: null },
            { operation: "NotifyEmail", status: "Done", hookName: "OnDraftReady" }
          ])
          const times = yield* Effect.forEach(message.actions, ({ dateRun }) =>
            Effect.fromNullable(dateRun?.epochMillis)
          )
          expect(times, where).toEqual(times.toSorted((a, b) => a - b))
          const sent = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
          expect(sent, where).toMatchObject([{ message: "We are on it", status: "Sent" }])
          for (const { messageID: id } of sent) {
            const events = (yield* allEventsOf(ticketID)).filter((event) => event.messageID === id)
            expect(
              events.map(({ kind }) => kind),
              where
            ).toEqual(["MessageAdded", "MessageSent"])
          }
          // A mail may be sent twice, but then with the same Message-ID, so that a mailbox shows it once.
          const seen = new Set((yield* mails).map(({ messageId, to }) => `${to} ${messageId}`))
          expect(seen.size, where).toBe(2)
          expect((yield* readTicket(ticketID)).customFieldsData, where).toMatchObject({ Look: "seen" })
        }
        // The node died in the middle of everything, also between an order and the record of it. It may die before the
        // order leaves, too: afterwards nobody can tell which of the two it was.
        expect(lastWrite).toBeGreaterThan(40)
        expect([...ends]).toEqual(expect.arrayContaining(["Done 1", "Failed 1"]))
        expect([...asks]).toContain(1)
        // The test's own statements must work while the node is dead.
      }).pipe(Statement.withTransformerDisabled)
  )
})
