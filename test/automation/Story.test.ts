import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { newMessage, readMessage, settledAnswer } from "../ticketMessages/MessageTools.ts"
import { newChannel, newTopic, refusedPaths } from "../topics/Mappings.ts"
import {
  actionsOf,
  endWait,
  fire,
  freshHook,
  nothingLeft,
  onHook,
  onTopic,
  readTicket,
  resultsOf,
  settledMessage,
  traceOf
} from "./AutomationTools.ts"

const firePath = "/api/hookactions/fire"

/** The number of Acme's rows in each table that firing a hook could write to. */
const written = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    select (select count(*)::int from job where customer_id = 1) as jobs,
      (select count(*)::int from event where customer_id = 1) as events,
      (select count(*)::int from automation_run where customer_id = 1) as runs,
      (select count(*)::int from message_action where customer_id = 1) as actions`
)

const words = (id: TicketMessageID) =>
  Effect.map(traceOf(id), (entries) => entries.map(({ type, what }) => `${type} ${what}`))

layer(mailApp({}, testApp), { excludeTestServices: true })("Firing a hook by hand", (it) => {
  it.effect("explains what runs in which order and why the rest does not, and with dryRun writes nothing", () =>
    Effect.gen(function* () {
      const { channelID, messageID, ticketID } = yield* settledMessage({ message: "Zzz" })
      yield* nothingLeft
      const elsewhere = yield* newChannel("acme-admin")
      const hookName = freshHook()
      const [low, high, none, chat, away, off, also] = yield* onHook(
        hookName,
        { operation: "CloseTicket", priority: 10 },
        { operation: "SetCustomField", parameters: { key: "k", value: "v" }, priority: 20 },
        { operation: "None", priority: 15 },
        { operation: "MarkSpam", specialChannel: "Chat" },
        { operation: "MarkSpam", channelID: elsewhere },
        { operation: "MarkSpam", isActive: false },
        { operation: "ReopenTicket", specialChannel: "Email", priority: 10 }
      )
      const { actions } = yield* clientOf("acme-admin")
      const [inactive] = yield* onHook(hookName, { operation: "MarkSpam", priority: 1, name: "Switched off" })
      if (inactive === undefined) return
      yield* actions.updateAction({
        path: { id: inactive.actionID },
        payload: { actionID: inactive.actionID, name: "Switched off", priority: 1, isActive: false }
      })
      const before = yield* written
      const plan = yield* fire(hookName.toUpperCase(), messageID, true)
      expect(yield* written).toEqual(before)
      const named = (row: typeof low) => ({
        hookActionID: row?.topicActionID,
        actionID: row?.actionID,
        name: row?.name
      })
      expect({
        ...plan,
        steps: plan.steps.map((one) => ({ ...one })),
        skipped: plan.skipped.map((one) => ({ ...one }))
      }).toEqual({
        hookName: hookName.toUpperCase(),
        channelID,
        steps: [
          { order: 1, ...named(high), operation: "SetCustomField" },
          { order: 2, ...named(low), operation: "CloseTicket" },
          { order: 3, ...named(also), operation: "ReopenTicket" }
        ],
        skipped: [
          { ...named(chat), reason: "It is for another channel." },
          { ...named(away), reason: "It is for another channel." },
          { ...named(off), reason: "The mapping is not active." },
          { ...named(none), reason: "The action has no operation." },
          { ...named(inactive), reason: "The action is not active." }
        ]
      })

      expect({ ...(yield* fire(hookName, messageID)), hookName: "" }).toEqual({ ...plan, hookName: "" })
      yield* resultsOf(messageID, hookName, 4)
      expect(yield* readTicket(ticketID)).toMatchObject({ status: "Open", isSpam: false, customFieldsData: { k: "v" } })
      expect((yield* actionsOf(messageID)).map(({ actionID, status }) => [actionID, status])).toEqual([
        [high?.actionID, "Done"],
        [low?.actionID, "Done"],
        [also?.actionID, "Done"],
        [none?.actionID, "Skipped"]
      ])
    })
  )

  it.effect("does nothing for a name without mappings, and runs twice when fired twice", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: "Zzz" })
      expect(yield* fire("nobody-listens", messageID)).toMatchObject({ steps: [], skipped: [] })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "CloseTicket" })
      yield* fire(hookName, messageID)
      yield* fire(hookName, messageID)
      expect(yield* resultsOf(messageID, hookName, 2)).toHaveLength(2)
    })
  )

  it.effect("is refused for another customer's or a missing message, and writes nothing", () =>
    Effect.gen(function* () {
      const foreign = yield* newMessage({}, "globex-admin")
      yield* nothingLeft
      const token = yield* tokenOf("acme-agent")
      const before = yield* written
      for (const ticketMessageID of [foreign.messageID, 2_147_483_646]) {
        for (const dryRun of [true, false]) {
          const body = { hookName: "OnEscalate", ticketMessageID, dryRun }
          expect(yield* refusedPaths("POST", firePath, token, body)).toEqual(["ticketMessageID"])
        }
      }
      expect(yield* refusedPaths("POST", firePath, token, { hookName: "no spaces", ticketMessageID: 1 })).toEqual([
        "hookName"
      ])
      expect(yield* written).toEqual(before)
    })
  )

  it.effect("runs once with the same idempotency key", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: "Zzz" })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "CloseTicket" })
      const token = yield* tokenOf("acme-agent")
      const options = {
        token,
        body: { hookName, ticketMessageID: messageID },
        headers: { "idempotency-key": hookName }
      }
      expect((yield* sendJson("POST", firePath, options)).status).toBe(200)
      expect((yield* sendJson("POST", firePath, options)).status).toBe(200)
      yield* nothingLeft
      expect(yield* resultsOf(messageID, hookName, 1)).toHaveLength(1)
    })
  )

  it.effect("detect-topics runs the actions of the topics only when asked, and does not wait for them", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: "Our xylophone is out of tune" })
      yield* nothingLeft
      const { topicID } = yield* newTopic("acme-admin", "Xylophone tune")
      yield* onTopic(topicID, { operation: "Wait", parameters: { seconds: 3600 } }, { operation: "CloseTicket" })
      const { ticketMessagesOnPhone } = yield* clientOf("acme-agent")
      const detect = (urlParams: { executeActions?: boolean }) =>
        ticketMessagesOnPhone.detectTopics({ path: { id: messageID }, urlParams })
      const ofTopic = Effect.map(actionsOf(messageID), (actions) => actions.filter((one) => one.topicID === topicID))
      yield* detect({})
      yield* detect({ executeActions: false })
      yield* nothingLeft
      expect((yield* readMessage(messageID)).topics.map(({ topicName }) => topicName)).toContain("Xylophone tune")
      expect(yield* ofTopic).toEqual([])
      yield* detect({ executeActions: true })
      expect((yield* ofTopic).every(({ status }) => status === "Waiting")).toBe(true)
      yield* endWait(messageID)
      yield* nothingLeft
      expect(yield* ofTopic).toMatchObject([
        { operation: "Wait", status: "Done", hookName: null },
        { operation: "CloseTicket", status: "Done", hookName: null }
      ])
    })
  )
})

layer(mailApp({}, testApp), { excludeTestServices: true })("The trace of a message", (it) => {
  it.effect("tells its whole story in order: arrival, steps, AI, actions, what was sent and what followed", () =>
    Effect.gen(function* () {
      const { documents, ticketMessages, topicActions } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { name: "Survey", content: "How did we do?", isDataRetrievalProcess: false }
      })
      const hooked = yield* onHook("OnMessageSent", {
        name: "Send survey",
        operation: "SendDocument",
        parameters: { documentID }
      })
      const { messageID, ticketID } = yield* settledMessage({ message: "Our zither is broken" })
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "Bring it to us" } })
      yield* settledAnswer(ticketID, "Sent")
      yield* nothingLeft
      const told = yield* eventually(
        words(messageID),
        (story) => story.filter((one) => one === "Event MessageSent").length === 2
      )
      for (const { topicActionID } of hooked) yield* topicActions.deleteTopicAction({ path: { id: topicActionID } })
      expect(told.filter((one) => !/^Step (On|PreSpam)/.test(one))).toEqual([
        "Message Received",
        "Event MessageReceived",
        "AiRun Spam",
        "Step Spam check",
        "AiRun Language",
        "Step Language",
        "AiRun Topics",
        "Event TopicsDetected",
        "Step Topics",
        "Event TicketStatusChanged",
        "Action Set status pending",
        "Step Topic actions",
        "AiRun Draft",
        "Event DraftReady",
        "Step Draft",
        "Message Answer",
        "Event MessageAdded",
        "Event MessageSent",
        "Message Answer",
        "Event MessageAdded",
        "Action Send survey",
        "Event MessageSent",
        "Action Send survey"
      ])
      const entries = yield* traceOf(messageID)
      const times = entries.map(({ at }) => at.epochMillis)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(entries.filter(({ what }) => what === "Send survey").map(({ outcome }) => outcome)).toEqual([
        "Done",
        expect.stringMatching(/^Skipped: /)
      ])
      const { aiRuns } = yield* clientOf("acme-admin")
      const { items } = yield* aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID } })
      expect(new Set(entries.flatMap(({ aiRunID }) => aiRunID ?? []))).toEqual(
        new Set(items.map(({ aiRunID }) => aiRunID))
      )
    })
  )

  it.effect("is 403 for another customer's message and 404 for a missing one", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: "Zzz" })
      const token = yield* tokenOf("globex-admin")
      expect((yield* sendJson("GET", `/ticketMessages/${messageID}/trace`, { token })).status).toBe(403)
      expect((yield* sendJson("GET", "/ticketMessages/2147483646/trace", { token })).status).toBe(404)
      const own = yield* tokenOf("acme-agent")
      expect((yield* sendJson("GET", `/api/ticketMessages/${messageID}/trace/`, { token: own })).status).toBe(200)
    })
  )

  it.effect("shows nothing but the arrival of automatic mail", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      yield* server.arrive(address, mail({ subject: "Away", headers: { "Auto-Submitted": "auto-replied" } }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      if (ticket === undefined) return
      yield* nothingLeft
      const [message] = yield* messagesOf(ticket.ticketID)
      expect(message).toMatchObject({ status: "Received", topics: [], actions: [], aiReply: null })
      if (message === undefined) return
      expect(yield* words(message.messageID)).toEqual(["Message Received", "Event MessageReceived"])

      yield* server.arrive(address, mail({ subject: "Keys", text: "I lost my keys" }))
      const [, person] = yield* ticketsArrive(channelID, 2)
      if (person === undefined) return
      const [written] = yield* messagesOf(person.ticketID)
      if (written === undefined) return
      yield* eventually(words(written.messageID), (story) => story.includes("Step OnDraftReady"))
    })
  )
})
