import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { formWith, upload } from "../files/Uploads.ts"
import { eventually } from "../support/Eventually.ts"
import { type Reaction, TelephonyServer } from "../support/TelephonyServer.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { messageEvents, messagesOf, newMessage, readMessage, settledAnswer } from "../ticketMessages/MessageTools.ts"
import { channelOf } from "../tickets/TicketTools.ts"
import { newChannel } from "../topics/Mappings.ts"
import { configure, outcome, received, reply, withTelephony } from "./WhatsAppTools.ts"

/** Lets the next attempt run without its pause, and as the last one if so asked. */
const hurry = (last = false) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update job set due_at = now(), attempts = case when ${last} then 9 else attempts end
      where customer_id = 1 and kind = 'DeliverMessage' and status = 'Queued'`
  )

/** Waits until every answer in a ticket is sent; as soon as an attempt has failed, the next one follows. */
const answersLeave = (ticketID: Parameters<typeof messagesOf>[0]) =>
  eventually(Effect.zipRight(hurry(), messagesOf(ticketID)), (items) =>
    items.every(({ senderType, status }) => senderType === "EndUser" || status === "Sent")
  )

/** The same reaction to every attempt, until another one is set. */
const always = (reaction: Reaction) => Array.from({ length: 20 }, () => reaction)

layer(withTelephony(quietApp), { excludeTestServices: true })("WhatsApp", (it) => {
  it.effect("is refused with a 400 naming what is missing when not configured, and nothing changes", () =>
    Effect.gen(function* () {
      const inbound = yield* received
      expect(yield* Effect.flip(reply(inbound.messageID, "x"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/telephonyAuthToken/)
      })
      const unconnected = yield* newMessage({
        channelID: yield* newChannel("acme-admin", "WhatsApp"),
        uid: "+15550300"
      })
      expect(yield* Effect.flip(reply(unconnected.messageID, "x"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/telephonyAuthToken and .*connectionDetails/)
      })
      expect(yield* outcome(inbound.ticketID)).toEqual(["EndUser Received"])
      yield* configure
      const nameless = yield* newMessage({
        channelID: yield* channelOf("WhatsApp"),
        uid: "no number",
        fromAddress: "a@b.example"
      })
      expect(yield* Effect.flip(reply(nameless.messageID, "x"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/no number/i)
      })
    })
  )

  it.effect("goes to the phone number of an end user who is known by another identifier", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      const { endUsers } = yield* clientOf("acme-admin")
      yield* configure
      yield* endUsers.createEndUser({
        payload: {
          FirstName: "Ida",
          LastName: "Noyes",
          UIDs: [
            { UID: "1002345", UIDType: "External" },
            { UID: "+1 (555) 060-0001", UIDType: "Phone" }
          ]
        }
      })
      const inbound = yield* newMessage({ channelID: yield* channelOf("WhatsApp"), uid: "1002345" })
      yield* reply(inbound.messageID, "Hello")
      yield* settledAnswer(inbound.ticketID, "Sent")
      expect(yield* provider.taken("whatsapp:+15550600001")).toMatchObject([{ body: "Hello" }])
    })
  )

  it.effect("sends through the phone provider", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const inbound = yield* received
      yield* reply(inbound.messageID, "Grüße & 100% + mehr")
      yield* settledAnswer(inbound.ticketID, "Sent")
      expect(yield* provider.taken(inbound.to)).toMatchObject([
        { from: "whatsapp:+15550101", to: inbound.to, body: "Grüße & 100% + mehr" }
      ])
    })
  )

  it.effect("is tried again when the provider fails, is busy or does not respond", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      for (const reaction of [
        { status: 500, message: "Internal" },
        { status: 429, message: "Too many requests" },
        "hang" as const
      ]) {
        const inbound = yield* received
        yield* provider.react(...always(reaction))
        yield* reply(inbound.messageID, "Patience")
        const failed = yield* settledAnswer(inbound.ticketID, "Failed")
        expect(yield* outcome(inbound.ticketID)).toEqual(["EndUser Replied", "CustomerRep Failed"])
        expect(yield* Effect.flip(reply(inbound.messageID, "Another"))).toMatchObject({ status: 409 })
        yield* provider.react()
        yield* answersLeave(inbound.ticketID)
        expect(yield* provider.taken(inbound.to)).toHaveLength(1)
        expect(yield* messageEvents(failed.messageID)).toEqual(["MessageAdded", "MessageSent"])
      }
    })
  )

  it.effect("does not send twice when only the provider's response was lost", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const inbound = yield* received
      const before = yield* provider.attempts
      yield* provider.react("lose")
      yield* reply(inbound.messageID, "Only once")
      yield* answersLeave(inbound.ticketID)
      expect(yield* provider.taken(inbound.to)).toHaveLength(1)
      expect((yield* provider.attempts) - before).toBe(1)
    })
  )

  it.effect("treats the same words, sent long before, as another message", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const first = yield* received
      yield* reply(first.messageID, "Thank you")
      yield* settledAnswer(first.ticketID, "Sent")
      yield* provider.dayPasses
      const second = yield* newMessage({ ticketID: first.ticketID, fromAddress: first.to.slice(9) })
      const before = yield* provider.attempts
      yield* provider.react({ status: 503, message: "Later" })
      yield* reply(second.messageID, "Thank you")
      yield* answersLeave(first.ticketID)
      expect((yield* provider.attempts) - before).toBe(2)
      expect(yield* provider.taken(first.to)).toHaveLength(2)
    })
  )

  it.effect("treats the same words, sent just before, as another message", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      // The outcome of the first: its response came, was lost, or comes after the second has checked for itself.
      for (const reaction of ["take", "lose", "late"] as const) {
        const first = yield* received
        const second = yield* newMessage({ ticketID: first.ticketID, fromAddress: first.to.slice(9) })
        const before = yield* provider.attempts
        yield* provider.react(reaction, { status: 503, message: "Later" })
        yield* reply(first.messageID, "Thank you")
        yield* eventually(provider.attempts, (attempts) => attempts === before + 1)
        yield* reply(second.messageID, "Thank you")
        yield* answersLeave(first.ticketID)
        expect(yield* provider.taken(first.to), reaction).toHaveLength(2)
        expect((yield* provider.attempts) - before, reaction).toBe(3)
      }
    })
  )

  it.effect("refuses files with a 400 that names them, and changes nothing until they are removed", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const { ticketMessageAttachments } = yield* clientOf("acme-admin")
      const inbound = yield* received
      yield* upload(inbound.messageID, formWith("Three to the left", "plan.txt", "text/plain"))
      expect(yield* Effect.flip(reply(inbound.messageID, "See the plan"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/files.*plan\.txt/i)
      })
      expect(yield* outcome(inbound.ticketID)).toEqual(["EndUser Received"])
      const path = { id: inbound.messageID }
      for (const { ticketMessageAttachmentID: attachmentId } of yield* ticketMessageAttachments.listAttachments({
        path
      })) {
        yield* ticketMessageAttachments.deleteAttachment({ path: { ...path, attachmentId } })
      }
      yield* reply(inbound.messageID, "Three to the left")
      const answer = yield* settledAnswer(inbound.ticketID, "Sent")
      expect(answer?.hasAttachment).toBe(false)
      expect(yield* provider.taken(inbound.to)).toHaveLength(1)
    })
  )

  it.effect("fails when a file is attached while it waits", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const inbound = yield* received
      yield* provider.react(...always({ status: 503, message: "Later" }))
      yield* reply(inbound.messageID, "See the plan")
      const waiting = yield* settledAnswer(inbound.ticketID, "Failed")
      yield* upload(waiting.messageID, formWith("Three to the left", "plan.txt", "text/plain"))
      yield* provider.react()
      yield* eventually(Effect.zipRight(hurry(), readMessage(inbound.messageID)), ({ status }) => status === "Failed")
      expect(yield* provider.taken(inbound.to)).toEqual([])
    })
  )

  it.effect("waits for a person, who can send again, when it is refused for good", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const inbound = yield* received
      const before = yield* provider.attempts
      yield* provider.react({ status: 400, message: "The number is not on WhatsApp" })
      yield* reply(inbound.messageID, "First try")
      const failed = yield* settledAnswer(inbound.ticketID, "Failed")
      yield* eventually(readMessage(inbound.messageID), ({ status }) => status === "Failed")
      expect(yield* messageEvents(failed.messageID)).toEqual(["MessageAdded", "SendFailed"])
      const { tickets } = yield* clientOf("acme-admin")
      const ticket = tickets.getTicket({ path: { id: inbound.ticketID } })
      expect(yield* ticket).toMatchObject({ lastSenderType: "EndUser" })
      yield* hurry()
      yield* reply(inbound.messageID, "Second try")
      yield* settledAnswer(inbound.ticketID, "Sent")
      expect(yield* ticket).toMatchObject({ lastSenderType: "CustomerRep" })
      expect(yield* outcome(inbound.ticketID)).toEqual(["EndUser Replied", "CustomerRep Failed", "CustomerRep Sent"])
      expect((yield* provider.taken(inbound.to)).map(({ body }) => body)).toEqual(["Second try"])
      expect((yield* provider.attempts) - before).toBe(2)
      expect(yield* Effect.flip(reply(inbound.messageID, "Third"))).toMatchObject({ status: 409 })
    })
  )

  it.effect("counts as not sent when the provider takes it only to report a failure", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const inbound = yield* received
      yield* provider.react("fail")
      yield* reply(inbound.messageID, "Too late")
      const failed = yield* settledAnswer(inbound.ticketID, "Failed")
      yield* eventually(readMessage(inbound.messageID), ({ status }) => status === "Failed")
      expect(yield* messageEvents(failed.messageID)).toEqual(["MessageAdded", "SendFailed"])
    })
  )

  it.effect("is refused with 400 when longer than the provider allows, and nothing changes", () =>
    Effect.gen(function* () {
      yield* configure
      const inbound = yield* received
      expect(yield* Effect.flip(reply(inbound.messageID, "a".repeat(1601)))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/up to 1600 characters.*has 1601/)
      })
      expect(yield* outcome(inbound.ticketID)).toEqual(["EndUser Received"])
      yield* reply(inbound.messageID, "a".repeat(1600))
      yield* settledAnswer(inbound.ticketID, "Sent")
    })
  )

  it.effect("is retried for a day without the provider, and given up at once when the account is wrong", () =>
    Effect.gen(function* () {
      yield* configure
      const provider = yield* TelephonyServer
      const { customers } = yield* clientOf("acme-admin")
      const inbound = yield* received
      yield* provider.react(...always({ status: 500, message: "x" }))
      yield* reply(inbound.messageID, "Never arrives")
      const failed = yield* settledAnswer(inbound.ticketID, "Failed")
      // However often it was tried, it is not given up before the day is over; the pauses grow to a limit.
      const sql = yield* SqlClient.SqlClient
      const pause = sql<{ seconds: number }>`
        select extract(epoch from due_at - now())::float8 as seconds from job
        where customer_id = 1 and kind = 'DeliverMessage' and status = 'Queued'
          and payload ->> 'ticketMessageID' = ${String(failed.messageID)}`.pipe(
        Effect.map(([job]) => job?.seconds ?? 0)
      )
      const ages = (hours: number) => sql`
        update ticket_message set created_at = created_at - make_interval(hours => ${hours})
        where customer_id = 1 and ticket_id = ${inbound.ticketID}`
      yield* ages(23)
      yield* eventually(
        Effect.tap(pause, (seconds) => Effect.when(hurry(true), () => seconds < 600)),
        (seconds) => seconds > 600
      )
      yield* hurry(true)
      expect(yield* eventually(pause, (seconds) => seconds > 600)).toBeLessThanOrEqual(900)
      expect((yield* readMessage(inbound.messageID)).status).toBe("Replied")
      yield* ages(2)
      yield* eventually(
        Effect.zipRight(hurry(true), readMessage(inbound.messageID)),
        ({ status }) => status === "Failed"
      )
      expect(yield* messageEvents(failed.messageID)).toEqual(["MessageAdded", "SendFailed"])
      yield* customers.updateCustomer({ payload: { telephonyAuthToken: "a wrong token" } })
      yield* reply(inbound.messageID, "Refused")
      yield* eventually(
        outcome(inbound.ticketID),
        (all) => all.join() === "EndUser Failed,CustomerRep Failed,CustomerRep Failed"
      )
      expect(yield* provider.taken(inbound.to)).toEqual([])
    })
  )
})
