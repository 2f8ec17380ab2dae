import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { workflowHooks } from "../../schema/Hooks.ts"
import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { failingWith, OpenAiServer, openAiApp, saying, sayingLate } from "../support/OpenAiServer.ts"
import { clientOf, send, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { messageEvents, newMessage, readMessage, settledAnswer } from "../ticketMessages/MessageTools.ts"
import { channelOf, newTicket } from "../tickets/TicketTools.ts"
import { newChannel, newTopic } from "../topics/Mappings.ts"
import {
  actionsOf,
  endWait,
  finishedSteps,
  nothingLeft,
  onHook,
  onTopic,
  readTicket,
  representativeOf,
  settledMessage,
  stepsOf,
  unmap
} from "./AutomationTools.ts"

/** Maps an action to every hook, which leaves a mark when the hook fires. */
const markAll = Effect.forEach(workflowHooks, (hookName) =>
  onHook(hookName, {
    operation: "SetCustomField",
    name: `Marker ${hookName}`,
    parameters: { key: hookName, value: "fired" }
  })
)

const marked = <E, R>(app: Layer.Layer<R, E>) =>
  Layer.effectDiscard(Effect.suspend(() => markAll)).pipe(Layer.provideMerge(app))

/** The hooks that fired on a ticket, in order. */
const firedOn = (ticketID: TicketID) =>
  Effect.zipRight(
    nothingLeft,
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ hook: string }>`
        select a.hook_name as hook from message_action a
        join automation_run r on r.customer_id = a.customer_id and r.automation_run_id = a.automation_run_id
        where a.customer_id = 1 and r.ticket_id = ${ticketID} and a.name like 'Marker %' and a.status = 'Done'
        order by a.message_action_id`
    )
  ).pipe(Effect.map((rows) => rows.map(({ hook }) => hook)))

const withoutTopics = ["OnTicketCreated", "OnMessageReceived", "PreSpam", "OnDraftReady"]

/** The demo closes spam that came by mail. */
const spamHooks = ["OnTicketCreated", "OnMessageReceived", "PreSpam", "OnSpam", "OnTicketClosed"]

const spamText = "Dear friend, you have won the lottery! Click here to claim: bit.ly/prize"

const purposesOf = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ aiRuns }) =>
    Effect.map(
      aiRuns.listAiRuns({ urlParams: { ticketMessageId: id, sortBy: "aiRunID", sortOrder: "asc" } }),
      ({ items }) => items.map(({ purpose }) => purpose)
    )
  )

layer(marked(testApp()), { excludeTestServices: true })("A message of an end user", (it) => {
  it.effect("gets a language, topics, their actions in order and a draft, and its hooks fire in between", () =>
    Effect.gen(function* () {
      const { topicID } = yield* newTopic("acme-admin", "Chandelier crystals")
      const wanted = (value: string, priority: number) =>
        ({ operation: "SetCustomField", parameters: { key: "last", value }, priority }) as const
      const [late, early] = yield* onTopic(topicID, wanted("late", 5), wanted("early", 1))
      yield* onTopic(topicID, { operation: "Wait", parameters: { seconds: 3600 }, priority: 3 })
      const created = yield* newMessage({ message: "The chandelier crystals are dirty and I would like to clean them" })
      expect(created.status).toBe("Received")
      const { messageID, ticketID } = created
      const waiting = yield* eventually(actionsOf(messageID), (actions) =>
        actions.some(({ operation, status }) => operation === "Wait" && status === "Waiting")
      )
      expect(waiting.find(({ actionID }) => actionID === late?.actionID)).toMatchObject({ status: "Waiting" })
      expect((yield* readMessage(messageID)).status).toBe("Processing")

      yield* endWait(messageID)
      expect(yield* finishedSteps(messageID)).toEqual([
        ["OnTicketCreated", "Done"],
        ["OnPhonePickup", "Not for this message"],
        ["OnChatStarted", "Not for this message"],
        ["OnMessageReceived", "Done"],
        ["PreSpam", "Done"],
        ["Spam check", "Not spam"],
        ["Language", "en"],
        ["Topics", "Chandelier crystals"],
        ["OnTopicsDetected", "Done"],
        ["Topic actions", "Done"],
        ["Draft", "Prepared"],
        ["OnDraftReady", "Done"]
      ])
      expect(yield* firedOn(ticketID)).toEqual([
        "OnTicketCreated",
        "OnMessageReceived",
        "PreSpam",
        "OnTopicsDetected",
        "OnDraftReady"
      ])
      const message = yield* readMessage(messageID)
      expect(message).toMatchObject({ status: "Drafted", aiReply: expect.stringContaining("[sandbox]") })
      expect(message.topics.map(({ topicName }) => topicName)).toEqual(["Chandelier crystals"])
      const ofTopic = message.actions.filter((action) => action.topicID === topicID)
      expect(ofTopic.map(({ actionID, operation, status }) => [operation === "Wait" ? 0 : actionID, status])).toEqual([
        [early?.actionID, "Done"],
        [0, "Done"],
        [late?.actionID, "Done"]
      ])
      const ticket = yield* readTicket(ticketID)
      expect(ticket).toMatchObject({ language: "en", customFieldsData: { last: "late" } })
      expect(yield* purposesOf(messageID)).toEqual(["Spam", "Language", "Topics", "Draft"])

      const second = yield* settledMessage({ ticketID, message: "And another thing" })
      expect(yield* firedOn(ticketID)).toHaveLength(5 + 3)
      expect(yield* purposesOf(second.messageID)).not.toContain("Language")
    })
  )

  it.effect("is put aside when it is spam, and nothing follows but OnSpam", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* newMessage({ subject: "You have won", message: spamText })
      const steps = yield* finishedSteps(messageID)
      expect(steps.at(-1)).toEqual(["Spam check", expect.stringMatching(/^Spam: /)])
      expect(yield* firedOn(ticketID)).toEqual(spamHooks)
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Spam", aiReply: null, topics: [] })
      expect(yield* readTicket(ticketID)).toMatchObject({ isSpam: true })
      expect(yield* purposesOf(messageID)).toEqual(["Spam"])

      const next = yield* settledMessage({ ticketID, message: "Hello?" })
      expect(yield* readMessage(next.messageID)).toMatchObject({ status: "Spam" })
      expect((yield* firedOn(ticketID)).filter((hook) => hook === "OnSpam")).toHaveLength(1)
      expect(yield* purposesOf(next.messageID)).toEqual([])
    })
  )

  it.effect("stays Replied when it is marked as spam after an action has answered it", () =>
    Effect.gen(function* () {
      const channelID = yield* newChannel("acme-admin")
      yield* onHook(
        "PreSpam",
        { operation: "DraftReply", channelID },
        { operation: "SendReply", channelID },
        { operation: "MarkSpam", channelID }
      )
      const { messageID, ticketID } = yield* settledMessage({ channelID })
      expect((yield* stepsOf(messageID)).at(-1)).toEqual(["Spam check", "The ticket is spam"])
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Replied" })
      // A second run, as after the death of the node that found the spam, changes nothing.
      const steps = yield* stepsOf(messageID)
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          insert into job (customer_id, kind, payload)
          values (1, 'RunPipeline', ${JSON.stringify({ ticketMessageID: messageID, opensTicket: true })}::jsonb)`
      )
      yield* nothingLeft
      expect(yield* stepsOf(messageID)).toEqual(steps)
      const { ticketMessages, tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { isSpam: false } })
      // Even if its status was lost, the message cannot be answered again.
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql`update ticket_message set status = 'Spam' where customer_id = 1 and ticket_message_id = ${messageID}`
      )
      const again = ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "Once more" } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 409 })
    })
  )

  it.effect("is put aside when an action before the spam check marks it as spam", () =>
    Effect.gen(function* () {
      const channelID = yield* newChannel("acme-admin")
      yield* onHook("PreSpam", { operation: "MarkSpam", channelID })
      const { messageID, ticketID } = yield* settledMessage({ channelID })
      expect((yield* stepsOf(messageID)).at(-1)).toEqual(["Spam check", "The ticket is spam"])
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Spam" })
      expect(yield* firedOn(ticketID)).toEqual(spamHooks)
      expect(yield* purposesOf(messageID)).toEqual([])
    })
  )

  it.effect("keeps the topics that a person gave it, and their actions run", () =>
    Effect.gen(function* () {
      const channelID = yield* newChannel("acme-admin")
      const rows = yield* onHook("PreSpam", { operation: "Wait", parameters: { seconds: 3600 }, channelID })
      const { topicID } = yield* newTopic("acme-admin", "Corrected by hand")
      yield* onTopic(topicID, { operation: "SetCustomField", parameters: { key: "hand", value: "yes" } })
      const { messageID, ticketID } = yield* newMessage({ channelID, message: "I lost my key and am locked out" })
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* ticketMessages.correctTopics({ path: { id: messageID }, payload: { topicIds: [topicID] } })
      yield* endWait(messageID)
      yield* finishedSteps(messageID)
      yield* unmap(rows)
      const { topics } = yield* readMessage(messageID)
      expect(topics.map(({ topicName }) => topicName)).toEqual(["Corrected by hand"])
      expect(yield* purposesOf(messageID)).not.toContain("Topics")
      expect((yield* readTicket(ticketID)).customFieldsData).toMatchObject({ hand: "yes" })
    })
  )

  it.effect("greets a caller on the phone or in a chat once, without waiting for the greeting", () =>
    Effect.gen(function* () {
      for (const [channelType, hookName] of [
        ["Phone", "OnPhonePickup"],
        ["Chat", "OnChatStarted"]
      ] as const) {
        const channelID = yield* channelOf(channelType)
        const { messageID, ticketID } = yield* newMessage({
          channelID,
          message: "Zzz",
          uid: `+155501${channelType.length}`
        })
        yield* finishedSteps(messageID)
        // The demo data's own Wait of 30 seconds is on the same hook.
        const greeting = yield* eventually(
          Effect.map(actionsOf(messageID), (actions) => actions.filter((action) => action.hookName === hookName)),
          (actions) => actions.length > 1 && actions.some(({ status }) => status === "Done")
        )
        expect(greeting).toMatchObject([
          { name: `Marker ${hookName}`, status: "Done" },
          { operation: "Wait", status: "Waiting" }
        ])
        const second = yield* settledMessage({ ticketID, message: "Still there?", uid: `+155501${channelType.length}` })
        expect((yield* actionsOf(second.messageID)).map((action) => action.hookName)).not.toContain(hookName)
      }
    })
  )
})

layer(marked(testApp()), { excludeTestServices: true })("A ticket event", (it) => {
  it.effect("fires OnTicketCreated once for a ticket made by hand, also when its first message comes later", () =>
    Effect.gen(function* () {
      const { ticketID } = yield* newTicket()
      expect(yield* firedOn(ticketID)).toEqual(["OnTicketCreated"])
      yield* settledMessage({ ticketID, message: "Zzz" })
      expect(yield* firedOn(ticketID)).toEqual(withoutTopics)
    })
  )

  it.effect("fires its hook once, and no hook for a change that changes nothing", () =>
    Effect.gen(function* () {
      const { tickets, ticketMessages } = yield* clientOf("acme-admin")
      const { messageID, ticketID } = yield* settledMessage({ message: "Zzz" })
      const path = { id: ticketID }
      const before = (yield* firedOn(ticketID)).length
      const assign = tickets.bulkUpdateTickets({
        payload: { ticketIDs: [ticketID], action: "assign", customerRepID: yield* representativeOf("acme-agent") }
      })
      const twice = <A, E, R>(change: Effect.Effect<A, E, R>) =>
        change.pipe(Effect.zipRight(nothingLeft), Effect.zipRight(change))
      yield* twice(assign)
      yield* twice(tickets.updateTicket({ path, payload: { status: "Closed" } }))
      yield* twice(tickets.updateTicket({ path, payload: { status: "Open" } }))
      yield* twice(ticketMessages.escalateMessage({ path: { id: messageID }, payload: {} }))
      expect((yield* firedOn(ticketID)).slice(before)).toEqual([
        "OnAssigned",
        "OnTicketClosed",
        "OnTicketReopened",
        "OnEscalate",
        // The demo hands an escalated ticket to the lead.
        "OnAssigned"
      ])
    })
  )

  it.effect("fires the hooks for sent and failed answers and for feedback once each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { messageID, ticketID } = yield* settledMessage({ message: "Zzz" })
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "Hello" } })
      yield* settledAnswer(ticketID, "Sent")
      // The work of one event runs beside that of the next, so each step waits for it to finish.
      expect(yield* firedOn(ticketID)).toEqual([...withoutTopics, "OnMessageSent"])
      const { ticketToken } = yield* readTicket(ticketID)
      const say = (...likes: ReadonlyArray<boolean>) =>
        Effect.forEach(likes, (like) => send("GET", `/ticketMessages/${ticketToken}/like-dislike?like=${like}`))
      yield* say(true, true)
      expect(yield* firedOn(ticketID)).toEqual([...withoutTopics, "OnMessageSent", "OnFeedback"])
      // A change of mind fires the hook once, but every change is stored.
      yield* say(false, true, false, true, false)
      const heard = [...withoutTopics, "OnMessageSent", "OnFeedback", "OnFeedback"]
      expect(yield* firedOn(ticketID)).toEqual(heard)
      expect(yield* sql`select liked from ticket where customer_id = 1 and ticket_id = ${ticketID}`).toEqual([
        { liked: false }
      ])

      const other = yield* settledMessage({ message: "Zzz" })
      // An answer without an address is given up at once.
      const [answer] = yield* sql<{ id: number }>`
        insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message)
        select customer_id, ticket_id, channel_id, 'CustomerRep', 'Queued', 'Hello' from ticket_message
        where customer_id = 1 and ticket_message_id = ${other.messageID} returning ticket_message_id as id`
      yield* sql`
        insert into job (customer_id, kind, payload)
        values (1, 'DeliverMessage', ${JSON.stringify({ ticketMessageID: answer?.id })}::jsonb)`
      yield* settledAnswer(other.ticketID, "Failed")
      // The demo data escalates failed answers, and assigns escalated tickets to the lead.
      expect(yield* firedOn(other.ticketID)).toEqual([...withoutTopics, "OnSendFailed", "OnEscalate", "OnAssigned"])
    })
  )
})

layer(openAiApp("openai", testApp), { excludeTestServices: true })("A message that needs a model", (it) => {
  const setKey = (aiProviderApiKey: string | null) =>
    Effect.flatMap(clientOf("acme-admin"), ({ customers }) =>
      customers.updateCustomer({ payload: { aiProviderApiKey } })
    )

  const jobOf = (id: TicketMessageID) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ status: string; attempts: number; error: string | null }>`
        select status, attempts, error from job
        where customer_id = 1 and kind = 'RunPipeline' and payload->>'ticketMessageID' = ${String(id)}`
    ).pipe(Effect.map(([row]) => row))

  /** Waits until the job has failed and is queued for a retry, and postpones that until `hurry`. */
  const held = (id: TicketMessageID) =>
    eventually(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          update job set due_at = now() + interval '1 hour'
          where customer_id = 1 and kind = 'RunPipeline' and payload->>'ticketMessageID' = ${String(id)}
            and status = 'Queued' and error is not null returning 1`
      ),
      (rows) => rows.length === 1
    )

  const hurry = (id: TicketMessageID, attempts: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        update job set due_at = now(), attempts = ${attempts}
        where customer_id = 1 and kind = 'RunPipeline' and payload->>'ticketMessageID' = ${String(id)}`
    )

  it.effect("stays Received when no model is configured, and its hooks run all the same", () =>
    Effect.gen(function* () {
      yield* setKey(null)
      const rows = yield* onHook("OnMessageReceived", {
        operation: "SetCustomField",
        parameters: { key: "met", value: "yes" }
      })
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      yield* nothingLeft
      yield* unmap(rows)
      const skipped = "Skipped: no AI is configured"
      expect((yield* stepsOf(messageID)).filter(([, outcome]) => outcome === skipped).map(([what]) => what)).toEqual([
        "Spam check",
        "Language",
        "Topics",
        "Draft"
      ])
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Received", aiReply: null, topics: [] })
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ met: "yes" })
    })
  )

  it.effect("stays Replied when the model takes it for spam after a person has answered it", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      const late = yield* sayingLate('{"isSpam":true,"reason":"a lottery"}')
      yield* server.does(late.behaviour, saying('{"language":"en"}'), saying('{"topicIDs":[]}'))
      const { messageID, ticketID } = yield* newMessage({ message: "Did I win the lottery?" })
      yield* eventually(server.asked, ({ length }) => length === 1)
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "You did." } })
      yield* late.goOn
      yield* nothingLeft
      expect(yield* stepsOf(messageID)).toContainEqual(["Spam check", "Already answered"])
      expect((yield* readMessage(messageID)).status).toBe("Replied")
      expect((yield* readTicket(ticketID)).isSpam).toBe(false)
    })
  )

  it.effect("is not put aside as spam when the answer of a person could only not be delivered", () =>
    Effect.gen(function* () {
      const [mailer, server] = [yield* TestMailer, yield* OpenAiServer]
      yield* setKey("sk-test")
      const late = yield* sayingLate('{"isSpam":true,"reason":"a lottery"}')
      yield* server.does(late.behaviour, saying('{"language":"en"}'), saying('{"topicIDs":[]}'), saying("You did."))
      yield* mailer.fail(Object.assign(new Error("no such user"), { code: "EENVELOPE", responseCode: 550 }))
      const { messageID, ticketID } = yield* newMessage({ message: "Did I win the lottery?" })
      yield* eventually(server.asked, ({ length }) => length === 1)
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "You did." } })
      yield* eventually(readMessage(messageID), ({ status }) => status === "Failed")
      yield* mailer.fail()
      yield* late.goOn
      yield* nothingLeft
      expect(yield* stepsOf(messageID)).toContainEqual(["Spam check", "Already answered"])
      expect((yield* readTicket(ticketID)).isSpam).toBe(false)
    })
  )

  it.effect("keeps a person's draft when the model is slower, and no hook sends it", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      const late = yield* sayingLate("From the model")
      yield* server.does(
        saying('{"isSpam":false,"reason":"fine"}'),
        saying('{"language":"en"}'),
        saying('{"topicIDs":[]}'),
        late.behaviour
      )
      const rows = yield* onHook("OnDraftReady", { operation: "SendReply", parameters: {} })
      const { messageID } = yield* newMessage({ message: "When do you open?" })
      yield* eventually(server.asked, ({ length }) => length === 4)
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "Half a sent" } })
      yield* late.goOn
      yield* nothingLeft
      yield* unmap(rows)
      expect(yield* stepsOf(messageID)).toContainEqual(["Draft", "Left to the person who is already answering"])
      const { aiReply, status } = yield* readMessage(messageID)
      expect([aiReply, status]).toEqual(["Half a sent", "Received"])
    })
  )

  it.effect("is tried again later when the model fails, without repeating earlier steps", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      yield* server.does(failingWith(500))
      const rows = yield* onHook("PreSpam", { operation: "SetCustomField", parameters: { key: "met", value: "yes" } })
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      yield* held(messageID)
      expect((yield* readMessage(messageID)).status).toBe("Processing")
      yield* server.does(
        saying('{"isSpam":false,"reason":"fine"}'),
        saying('{"language":"en"}'),
        saying('{"topicIDs":[]}'),
        saying("Come and get a new one.")
      )
      yield* hurry(messageID, 1)
      yield* finishedSteps(messageID)
      yield* nothingLeft
      yield* unmap(rows)
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Drafted", aiReply: "Come and get a new one." })
      const met = (yield* actionsOf(messageID)).filter(({ hookName }) => hookName === "PreSpam")
      expect(met).toMatchObject([{ status: "Done" }])
      expect(yield* server.asked).toHaveLength(4)
    })
  )

  it.effect("is Failed with the reason when the model keeps failing, and its other steps are done", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      yield* server.does(failingWith(500))
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      yield* held(messageID)
      yield* hurry(messageID, 9)
      const steps = new Map(yield* finishedSteps(messageID))
      for (const step of ["Spam check", "Language", "Topics", "Draft"]) {
        expect(steps.get(step)).toMatch(/^Failed: /)
        expect(steps.get(step)).not.toContain("sk-")
      }
      yield* nothingLeft
      expect(yield* jobOf(messageID)).toMatchObject({ status: "Succeeded" })
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Failed", aiReply: null })
      // Clients that have the ticket open are notified.
      expect((yield* messageEvents(messageID)).at(-1)).toBe("MessageChanged")
      yield* setKey(null)
    })
  )
})
