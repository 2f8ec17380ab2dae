import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CustomerRepID, type TicketID, type TicketMessageID } from "../../schema/Ids.ts"
import type { EscalateMessage } from "../../schema/TicketMessageBodies.ts"
import { eventually } from "../support/Eventually.ts"
import { field } from "../support/Fields.ts"
import { clientOf, quietApp, send, sendJson, tokenOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { eventsOf, newTicket } from "../tickets/TicketTools.ts"
import { refusedPaths } from "../topics/Mappings.ts"
import { messageEvents, newMessage, readMessage } from "./MessageTools.ts"

const escalate = (id: TicketMessageID, payload: EscalateMessage = {}) =>
  Effect.flatMap(clientOf("acme-agent"), ({ ticketMessages }) =>
    ticketMessages.escalateMessage({ path: { id }, payload })
  )

const readTicket = (id: TicketID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) => tickets.getTicket({ path: { id } }))

/** Expects that no mail is waiting, and that none was sent. */
const noMail = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const mailer = yield* TestMailer
  yield* eventually(
    sql`select kind from job where customer_id = 1 and status in ('Queued', 'Running')`,
    (rows) => rows.length === 0
  )
  expect(yield* mailer.count).toBe(0)
})

layer(quietApp(), { excludeTestServices: true })("Escalating a message", (it) => {
  it.effect("escalates its ticket, keeps the comment and notifies the given address", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const inbound = yield* newMessage({
        subject: "Smoke\r\nBcc: x@y.example",
        message: "There is smoke",
        fromName: "Ann"
      })
      const done = yield* escalate(inbound.messageID, { email: "duty@acme.example", feedbackComment: "Call them" })
      expect(done.message).toContain("duty@acme.example")
      const mail = yield* mailer.next
      expect(mail).toMatchObject({ customerID: 1, to: "duty@acme.example" })
      expect(mail.subject).toBe(`Ticket ${inbound.ticketID} needs a person: Smoke Bcc: x@y.example`)
      expect(mail.text).toMatch(/^Subject: Smoke Bcc: x@y\.example\nComment: Call them\n\nThere is smoke\n$/m)
      expect(mail.text).toContain(`\nOpen the ticket: https://casework.example/desk#/tickets/${inbound.ticketID}\n`)
      expect(yield* readMessage(inbound.messageID)).toMatchObject({
        isEscalated: true,
        status: "Escalated",
        aI_FeedbackComment: "Call them"
      })
      expect(yield* readTicket(inbound.ticketID)).toMatchObject({
        status: "Escalated",
        aiFeedbackComments: ["Call them"]
      })
      expect(yield* eventsOf(inbound.ticketID)).toEqual(["TicketCreated", "MessageReceived", "TicketEscalated"])
      expect((yield* messageEvents(inbound.messageID)).at(-1)).toBe("TicketEscalated")

      yield* escalate(inbound.messageID, { feedbackComment: "Still burning" })
      const nothing = { token: yield* tokenOf("acme-agent"), body: { feedbackComment: "", email: "" } }
      expect((yield* sendJson("POST", `/ticketMessages/${inbound.messageID}/escalate-by-id`, nothing)).status).toBe(200)
      yield* escalate(inbound.messageID)
      expect((yield* readMessage(inbound.messageID)).aI_FeedbackComment).toBe("Still burning")
      yield* noMail
      // A named address is always notified, but nothing else happens twice.
      expect((yield* escalate(inbound.messageID, { email: "boss@acme.example" })).message).toContain("boss@")
      expect((yield* mailer.next).to).toBe("boss@acme.example")
      expect(yield* eventsOf(inbound.ticketID)).toHaveLength(3)
      yield* noMail
    })
  )

  it.effect("notifies the default representative, or nobody when there is none", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { customers } = yield* clientOf("acme-admin")
      yield* escalate((yield* newMessage()).messageID)
      expect((yield* mailer.next).to).toBe("admin@acme.example")
      const { defaultCustomerRepID } = yield* customers.getCustomer()
      yield* customers.updateCustomer({ payload: { defaultCustomerRepID: null } })
      const { message } = yield* escalate((yield* newMessage()).messageID)
      expect(message).not.toContain("@")
      yield* customers.updateCustomer({ payload: { defaultCustomerRepID } })
      yield* noMail
    })
  )

  it.effect("reopens a closed ticket as escalated, once however many do it at once", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { ticketID } = yield* newTicket({ status: "Closed" })
      const { messageID } = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent" })
      yield* Effect.forEach(Array.from({ length: 12 }), () => escalate(messageID), { concurrency: 12 })
      expect(yield* eventsOf(ticketID)).toEqual(["TicketCreated", "MessageAdded", "TicketReopened", "TicketEscalated"])
      expect((yield* readTicket(ticketID)).status).toBe("Escalated")
      // An answer keeps its status.
      expect(yield* readMessage(messageID)).toMatchObject({ isEscalated: true, status: "Sent" })
      yield* mailer.next
      yield* noMail
      const second = yield* newMessage({ ticketID })
      yield* escalate(second.messageID)
      expect((yield* eventsOf(ticketID)).at(-1)).toBe("MessageEscalated")
      yield* mailer.next
    })
  )

  it.effect("is refused with 409 for spam, and nothing changes", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-admin")
      const inbound = yield* newMessage()
      yield* tickets.updateTicket({ path: { id: inbound.ticketID }, payload: { isSpam: true } })
      expect(yield* Effect.flip(escalate(inbound.messageID, { feedbackComment: "x" }))).toMatchObject({ status: 409 })
      expect(yield* readMessage(inbound.messageID)).toMatchObject({ isEscalated: false, aI_FeedbackComment: null })
      const token = yield* tokenOf("acme-admin")
      const path = `/ticketMessages/${inbound.messageID}/escalate-by-id`
      expect(yield* refusedPaths("POST", path, token, { email: "no address" })).toEqual(["email"])
      yield* noMail
    })
  )
})

const give = (token: string, like: string, init: { method?: string; headers?: Record<string, string> } = {}) =>
  send(init.method ?? "GET", `/ticketMessages/${token}/like-dislike?like=${like}`, { headers: init.headers ?? {} })

const feedbackOf = (ticketID: TicketID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ like: boolean; ticketMessageID: number | null }>`
      select (details->>'like')::boolean as like, ticket_message_id as "ticketMessageID" from event
      where customer_id = 1 and ticket_id = ${ticketID} and kind = 'Feedback' order by event_id`
  )

layer(quietApp(), { excludeTestServices: true })("Feedback", (it) => {
  it.effect("needs only the ticket's token, is about the last answer and counts once", () =>
    Effect.gen(function* () {
      const { messageID: first, ticketID } = yield* newMessage()
      const { ticketToken } = yield* readTicket(ticketID)
      const early = yield* give(ticketToken, "true")
      expect([early.status, early.json]).toEqual([200, { agentAvailable: false, customerRepName: "Acme Admin" }])
      expect(yield* feedbackOf(ticketID)).toEqual([{ like: true, ticketMessageID: null }])
      const one = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent", message: "One" })
      const two = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent", message: "Two" })
      const many = yield* Effect.forEach(Array.from({ length: 8 }), () => give(ticketToken.toUpperCase(), "True"), {
        concurrency: 8
      })
      expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
      yield* give(ticketToken, "false")
      yield* give(ticketToken, "false")
      expect(yield* feedbackOf(ticketID)).toEqual([
        { like: true, ticketMessageID: null },
        { like: true, ticketMessageID: two.messageID },
        { like: false, ticketMessageID: two.messageID }
      ])
      expect([first, one.messageID]).not.toContain(two.messageID)
    })
  )

  it.effect("is not given by HEAD requests and prefetches", () =>
    Effect.gen(function* () {
      const { ticketID } = yield* newMessage()
      const { ticketToken } = yield* readTicket(ticketID)
      for (const init of [
        { method: "HEAD" },
        { headers: { purpose: "prefetch" } },
        { headers: { "sec-purpose": "prefetch;prerender" } },
        { headers: { "x-moz": "prefetch" } },
        { headers: { "x-purpose": "preview" } }
      ]) {
        expect((yield* give(ticketToken, "true", init)).status).toBe(200)
      }
      expect(yield* feedbackOf(ticketID)).toEqual([])
    })
  )

  it.effect("is refused with 404 without a ticket, and with 400 without a value", () =>
    Effect.gen(function* () {
      const { ticketToken } = yield* readTicket((yield* newMessage()).ticketID)
      for (const token of [randomUUID(), "1", "no-guid", `${ticketToken}0`, "'; drop table ticket; --", "%00"]) {
        const { json, status } = yield* give(encodeURIComponent(token), "true")
        expect([token, status, field(json, "status")]).toEqual([token, 404, 404])
      }
      expect((yield* give(ticketToken, "maybe")).status).toBe(400)
      expect((yield* send("GET", `/ticketMessages/${ticketToken}/like-dislike`)).status).toBe(400)
      expect((yield* send("GET", `/api/ticketMessages/${ticketToken}/like-dislike?LIKE=TRUE`)).status).toBe(200)
    })
  )

  it.effect("names the ticket's representative, else the default one, else nobody", () =>
    Effect.gen(function* () {
      const { customers, representatives, tickets } = yield* clientOf("acme-admin")
      const { ticketID } = yield* newMessage()
      const { ticketToken } = yield* readTicket(ticketID)
      const named = Effect.map(give(ticketToken, "true"), ({ json }) => field(json, "customerRepName"))
      const rep = yield* representatives.createCustomerRep({
        payload: { username: "short-lived", password: "Demo-Pass-1", name: "Short Lived" }
      })
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { customerRepID: rep.customerRepID } })
      expect(yield* named).toBe("Short Lived")
      yield* representatives.deleteCustomerRep({ path: { id: CustomerRepID.make(rep.customerRepID) } })
      expect(yield* named).toBe("Acme Admin")
      yield* customers.updateCustomer({ payload: { defaultCustomerRepID: null } })
      expect(yield* named).toBe("")
    })
  )
})
