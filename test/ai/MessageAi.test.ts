import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DocumentID, type TicketMessageID } from "../../schema/Ids.ts"
import { Drafts } from "../../src/ai/Drafts.ts"
import { Tokens } from "../../src/auth/Tokens.ts"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { DraftTools, detect, postMessage, readMessage, topicsOf } from "./MessageAi.ts"
import { acme, channelOfType } from "./Messages.ts"

const keyLost = "Hello, I lost the key to my flat and I am locked out."

const eventsOf = (id: TicketMessageID) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const customerID = yield* acme
    return yield* sql<{ kind: string; details: unknown }>`
      select kind, details from event where customer_id = ${customerID} and ticket_message_id = ${id}
      order by event_id`
  })

const topicIdOf = (username: string, name: string) =>
  Effect.gen(function* () {
    const { topics } = yield* clientOf(username)
    const { items } = yield* topics.listTopics({ urlParams: { pageSize: 200 } })
    return (yield* Effect.fromNullable(items.find((topic) => topic.name === name))).topicID
  })

const runsOf = (username: string, ticketMessageId: TicketMessageID) =>
  Effect.flatMap(clientOf(username), ({ aiRuns }) =>
    Effect.map(aiRuns.listAiRuns({ urlParams: { ticketMessageId } }), ({ items }) => items)
  )

layer(DraftTools.pipe(Layer.provideMerge(quietApp())), { excludeTestServices: true })("AI on messages", (it) => {
  it.effect("detects topics, stores them and records an event", () =>
    Effect.gen(function* () {
      const { messageID } = yield* postMessage("acme-agent", { message: keyLost })
      yield* detect("acme-agent", messageID)
      expect(yield* topicsOf("acme-agent", messageID)).toEqual(["Lost key"])
      expect(yield* eventsOf(messageID)).toContainEqual({ kind: "TopicsDetected", details: { executeActions: false } })
      expect(yield* runsOf("acme-agent", messageID)).toMatchObject([
        { purpose: "Topics", outcome: "Succeeded", promptVersion: "topics-2", ticketMessageID: messageID }
      ])
      const token = yield* tokenOf("acme-agent")
      const path = `/api/ticketMessages/${messageID}/detect-topics?ExecuteActions=TRUE`
      expect((yield* sendJson("POST", path, { token })).status).toBe(204)
      expect(yield* eventsOf(messageID)).toContainEqual({ kind: "TopicsDetected", details: { executeActions: true } })
    })
  )

  it.effect("never replaces topics that a person corrected", () =>
    Effect.gen(function* () {
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { messageID } = yield* postMessage("acme-agent", { message: keyLost })
      yield* detect("acme-agent", messageID)
      const deposit = yield* topicIdOf("acme-agent", "Deposit refund")
      yield* ticketMessages.correctTopics({ path: { id: messageID }, payload: { topicIds: [deposit] } })
      yield* detect("acme-agent", messageID)
      expect(yield* topicsOf("acme-agent", messageID)).toEqual(["Deposit refund"])
      expect(yield* runsOf("acme-agent", messageID)).toHaveLength(1)
    })
  )

  it.effect("learns from corrections of other messages, and takes hints from the page", () =>
    Effect.gen(function* () {
      const { ticketMessages } = yield* clientOf("acme-admin")
      const odd = "The blue gizmo on the balcony went bananas again"
      const first = yield* postMessage("acme-agent", { message: odd })
      yield* detect("acme-agent", first.messageID)
      expect(yield* topicsOf("acme-agent", first.messageID)).toEqual([])
      const repair = yield* topicIdOf("acme-agent", "Repair request")
      yield* ticketMessages.correctTopics({ path: { id: first.messageID }, payload: { topicIds: [repair] } })
      const second = yield* postMessage("acme-agent", { message: odd })
      yield* detect("acme-agent", second.messageID)
      expect(yield* topicsOf("acme-agent", second.messageID)).toEqual(["Repair request"])

      const vague = "When will I get it back? It has been paid long ago."
      const pageURL = "https://acme.example/help/deposit/when?from=mail"
      const hinted = yield* postMessage("acme-agent", { message: vague, pageURL }, "Chat")
      yield* detect("acme-agent", hinted.messageID)
      expect(yield* topicsOf("acme-agent", hinted.messageID)).toContain("Deposit refund")
      const sql = yield* SqlClient.SqlClient
      const [run] = yield* sql<{ prompt: string }>`
        select user_prompt as prompt from ai_run
        where customer_id = ${yield* acme} and ticket_message_id = ${hinted.messageID}`
      expect(run?.prompt).toContain("The page about: Deposit refund")
      expect(run?.prompt).toContain(pageURL)
      expect(run?.prompt).toContain(`${odd}\nTopics: Repair request`)
    })
  )

  it.effect("refuses unknown models, messages of others and bad parameters, and changes nothing", () =>
    Effect.gen(function* () {
      const { messageID } = yield* postMessage("acme-agent", { message: keyLost })
      const corrected = yield* postMessage("acme-agent", { message: keyLost })
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.correctTopics({ path: { id: corrected.messageID }, payload: { topicIds: [] } })
      const refusals = [
        [detect("acme-agent", corrected.messageID, { modelName: "gpt-9" }), 400],
        [detect("acme-agent", messageID, { modelName: "gpt-9" }), 400],
        [detect("acme-agent", messageID, { modelName: "gpt-4.1" }), 400],
        [detect("globex-admin", messageID), 403]
      ] as const
      for (const [refused, status] of refusals) expect(yield* Effect.flip(refused)).toMatchObject({ status })
      const token = yield* tokenOf("acme-agent")
      const path = (id: number | string, query = "") => `/ticketMessages/${id}/detect-topics${query}`
      expect((yield* sendJson("POST", path(2_147_483_000), { token })).status).toBe(404)
      expect((yield* sendJson("POST", path("x"), { token })).status).toBe(400)
      expect((yield* sendJson("POST", path(messageID, "?executeActions=maybe"), { token })).status).toBe(400)
      expect(yield* topicsOf("acme-agent", messageID)).toEqual([])
      expect((yield* eventsOf(messageID)).map(({ kind }) => kind)).toEqual(["MessageReceived"])
      yield* detect("acme-agent", messageID, { modelName: "GPT-4.1-mini" })
      expect(yield* topicsOf("acme-agent", messageID)).toEqual(["Lost key"])
    })
  )

  it.effect("is open to a phone call on its own channel only", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const channelID = yield* channelOfType("acme-agent", "Phone")
      const token = yield* tokens.forPhone({ customerID: yield* acme, channelID, phoneNumber: "+15550100" })
      const called = yield* postMessage("acme-agent", { message: keyLost }, "Phone")
      const mailed = yield* postMessage("acme-agent", { message: keyLost })
      const send = (id: number) => sendJson("POST", `/ticketMessages/${id}/detect-topics`, { token })
      expect((yield* send(called.messageID)).status).toBe(204)
      expect((yield* send(mailed.messageID)).status).toBe(403)
      expect(yield* topicsOf("acme-agent", called.messageID)).toEqual(["Lost key"])
    })
  )

  it.effect("gives a message without text no topics", () =>
    Effect.gen(function* () {
      const { messageID } = yield* postMessage("acme-agent", { pageScreenshot: "data:," })
      yield* detect("acme-agent", messageID)
      expect(yield* topicsOf("acme-agent", messageID)).toEqual([])
      expect(yield* runsOf("acme-agent", messageID)).toEqual([])
    })
  )

  it.effect("drafts an answer from the topic's documents, and records what was sent", () =>
    Effect.gen(function* () {
      const drafts = yield* DraftReplies
      const { ticketMessages } = yield* clientOf("acme-agent")
      const customerID = yield* acme
      const made = yield* Effect.forEach([1, 2], () => postMessage("acme-agent", { message: keyLost }))
      for (const { messageID } of made) {
        yield* detect("acme-agent", messageID)
        yield* drafts.prepare(customerID, messageID)
        const drafted = yield* readMessage("acme-agent", messageID)
        expect(drafted.status).toBe("Drafted")
        expect(drafted.aiReply).toMatch(/^\[sandbox\] .*new one is ready the next working day/)
        expect((yield* eventsOf(messageID)).map(({ kind }) => kind)).toContain("DraftReady")
        const [run] = yield* runsOf("acme-agent", messageID)
        expect(run).toMatchObject({ purpose: "Draft", output: drafted.aiReply, sentText: null, changedShare: null })
        expect(run?.documents.map(({ version }) => version)).toEqual([1, 1])
      }
      const [plain, edited] = made
      if (plain === undefined || edited === undefined) return yield* Effect.dieMessage("no messages")
      yield* ticketMessages.sendReply({ path: { id: plain.messageID }, payload: {} })
      const [unchanged] = yield* runsOf("acme-agent", plain.messageID)
      expect(unchanged).toMatchObject({ sentText: unchanged?.output, changedShare: 0 })

      yield* ticketMessages.sendReply({ path: { id: edited.messageID }, payload: { modifiedAnswer: "Come by at 9." } })
      const [changed] = yield* runsOf("acme-agent", edited.messageID)
      expect(changed?.sentText).toBe("Come by at 9.")
      expect(changed?.changedShare).toBeGreaterThan(0.8)

      const { aiRuns } = yield* clientOf("acme-agent")
      const days = yield* aiRuns.summarizeAiRuns({ urlParams: {} })
      expect(days.find(({ drafts: made }) => made > 0)).toMatchObject({
        drafts: 2,
        draftsSent: 2,
        draftsSentUnchanged: 1,
        shareSentUnchanged: 0.5
      })

      // A late draft does not change a message that is already answered.
      yield* drafts.prepare(customerID, plain.messageID)
      expect((yield* readMessage("acme-agent", plain.messageID)).status).toBe("Replied")
    })
  )

  it.effect("deletes a message's AI runs with the message", () =>
    Effect.gen(function* () {
      const { ticketMessages } = yield* clientOf("acme-agent")
      const { messageID } = yield* postMessage("acme-agent", { message: keyLost })
      yield* detect("acme-agent", messageID)
      expect(yield* runsOf("acme-agent", messageID)).toHaveLength(1)
      yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
      expect(yield* runsOf("acme-agent", messageID)).toEqual([])
    })
  )

  it.effect("sums up a ticket and keeps the summary until the next message", () =>
    Effect.gen(function* () {
      const { ticketMessages, tickets, ticketSummaries } = yield* clientOf("acme-agent")
      const channelID = yield* channelOfType("acme-agent", "Email")
      const { ticketID } = yield* tickets.createTicket({ payload: { channelID, subject: "Keys" } })
      const summary = ticketSummaries.getHistorySummary({ path: { id: ticketID } })
      expect(yield* summary).toBe("")

      const first = yield* postMessage("acme-agent", { ticketID, message: `${keyLost} Please help.` })
      expect(yield* summary).toBe(`[sandbox] Subject: Keys. End user: ${keyLost}`)
      expect(yield* summary).toBe(`[sandbox] Subject: Keys. End user: ${keyLost}`)
      expect(yield* runsOf("acme-agent", first.messageID)).toHaveLength(1)

      const second = yield* postMessage("acme-agent", { ticketID, message: "It was in my other bag." })
      expect(yield* summary).toContain("It was in my other bag.")
      expect(yield* runsOf("acme-agent", second.messageID)).toMatchObject([{ purpose: "Summary" }])

      yield* ticketMessages.deleteTicketMessage({ path: { id: first.messageID } })
      expect(yield* summary).toBe("[sandbox] Subject: Keys. End user: It was in my other bag.")

      const token = yield* tokenOf("acme-agent")
      expect((yield* sendJson("GET", `/tickets/${ticketID}/history-summary`, { token })).json).toMatch(/^\[sandbox\]/)
      expect((yield* sendJson("GET", "/tickets/2147483000/history-summary", { token })).status).toBe(404)
    })
  )

  it.effect("records the documents that a draft was given, without those beyond the limit", () =>
    Effect.gen(function* () {
      const drafts = yield* Drafts
      const { messageID } = yield* postMessage("acme-agent", { message: keyLost })
      yield* drafts.draft({
        customerID: yield* acme,
        ticketMessageID: messageID,
        channelType: "Email",
        language: null,
        subject: null,
        text: keyLost,
        topics: [],
        history: [],
        quotes: [],
        documents: Array.from({ length: 14 }, (_, index) => ({
          documentID: DocumentID.make(index + 1),
          version: 1,
          title: `Document ${index + 1}`,
          content: `Content ${index + 1}`
        }))
      })
      const [run] = yield* runsOf("acme-agent", messageID)
      const sql = yield* SqlClient.SqlClient
      const [asked] = yield* sql<{ prompt: string }>`
        select user_prompt as prompt from ai_run where customer_id = ${yield* acme} and ticket_message_id = ${messageID}`
      const { prompt } = yield* Effect.fromNullable(asked)
      const given = [...prompt.matchAll(/^Document (\d+)$/gm)].map(([, number]) => Number(number))
      expect(given).toHaveLength(12)
      expect(run?.documents.map(({ documentID }) => Number(documentID))).toEqual(given)
    })
  )
})
