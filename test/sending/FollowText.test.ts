import { SqlClient } from "@effect/sql"
import { describe, expect, layer, it as test } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { Reactions, reactionTo } from "../../src/events/EventHooks.ts"
import { FollowTiming, nextLook } from "../../src/sending/FollowText.ts"
import { readTicket } from "../automation/AutomationTools.ts"
import { erased } from "../dataRights/RightsTools.ts"
import { eventually } from "../support/Eventually.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { type Fate, TelephonyServer } from "../support/TelephonyServer.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { messageEvents, messagesOf, newMessage, settledAnswer } from "../ticketMessages/MessageTools.ts"
import { configure, outcome, received, reply, withTelephony } from "./WhatsAppTools.ts"

const { authToken } = TelephonyServer.account

/** The first check follows at once, the others when a test asks for them; only a failure triggers automation. */
const followApp = withTelephony((overrides) =>
  testApp(overrides).pipe(
    Layer.provide(Layer.succeed(FollowTiming, { looksAfterSeconds: [0, 3600, 7200] })),
    Layer.provide(Layer.succeed(Reactions, (event) => (event.kind === "SendFailed" ? reactionTo(event) : undefined)))
  )
)

/** An answer that the provider has taken, and was asked about once. */
const sent = (fate: Fate) =>
  Effect.gen(function* () {
    yield* configure
    const provider = yield* TelephonyServer
    const inbound = yield* received
    yield* provider.comesTo(inbound.to, fate)
    yield* reply(inbound.messageID, "The key is under the mat")
    yield* eventually(provider.asked(inbound.to), (times) => times === 1)
    const answer = yield* Effect.fromNullable((yield* messagesOf(inbound.ticketID)).at(-1))
    return { ...inbound, inboundID: inbound.messageID, messageID: answer.messageID }
  })

const followUps = (ticketMessageID: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; payload: unknown; claims: number }>`
      select status, payload, claims from job
      where customer_id = 1 and kind = 'FollowText' and payload ->> 'ticketMessageID' = ${String(ticketMessageID)}`
  )

const deliveryError = (ticketMessageID: TicketMessageID) =>
  Effect.map(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ error: string | null }>`
        select delivery_error as error from ticket_message
        where customer_id = 1 and ticket_message_id = ${ticketMessageID}`
    ),
    ([row]) => row?.error
  )

/** Makes the message look as if handed over so long ago; after three hours the next check is the last. */
const hoursPass = (ticketMessageID: TicketMessageID, hours: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update sent_text set created_at = now() - make_interval(hours => ${hours}::int)
      where customer_id = 1 and ticket_message_id = ${ticketMessageID}`
  )

const isOver = (ticketMessageID: TicketMessageID) =>
  eventually(
    Effect.zipRight(hurry("FollowText"), followUps(ticketMessageID)),
    (rows) => rows.length === 1 && rows.every(({ status }) => status === "Succeeded")
  )

/** Waits until a further check is scheduled, and returns how many checks there have been. */
const waits = (ticketMessageID: TicketMessageID, since = 0) =>
  eventually(followUps(ticketMessageID), ([job]) => job?.status === "Queued" && job.claims > since).pipe(
    Effect.flatMap(([job]) => Effect.fromNullable(job?.claims))
  )

describe("The delivery checks of a text message", () => {
  test("follow each other until the last", () => {
    const pauseAt = (secondsAgo: number) => nextLook([20, 120, 600, 3600], secondsAgo)?.pauseSeconds
    expect([0, 0.5, 20, 20.4, 130, 600, 3599.9].map(pauseAt)).toEqual([20, 20, 100, 100, 470, 3000, 1])
    expect([3600, 9000].map(pauseAt)).toEqual([undefined, undefined])
  })
})

layer(followApp, { excludeTestServices: true })("A text message that the provider has taken", (it) => {
  it.effect("fails with a reason when the provider says later that it cannot deliver", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      for (const status of ["undelivered", "failed"]) {
        const { inboundID, messageID, ticketID, to } = yield* sent({ status: "sent" })
        yield* waits(messageID)
        expect(yield* outcome(ticketID)).toEqual(["EndUser Replied", "CustomerRep Sent"])
        const error_message = `Outside the allowed window, ${authToken}`
        yield* provider.comesTo(to, { status, error_code: 63016, error_message })
        yield* isOver(messageID)
        expect(yield* outcome(ticketID)).toEqual(["EndUser Failed", "CustomerRep Failed"])
        expect(yield* deliveryError(messageID)).toBe(
          `The phone provider accepted the message but reports ${status} 63016 Outside the allowed window, •••`
        )
        expect(yield* messageEvents(messageID)).toEqual(["MessageAdded", "MessageSent", "SendFailed"])
        expect((yield* followUps(messageID)).map(({ payload }) => payload)).toEqual([
          { ticketMessageID: messageID, automationRunID: null }
        ])
        // What Acme has configured for OnSendFailed.
        yield* eventually(readTicket(ticketID), (ticket) => ticket.status === "Escalated")
        yield* provider.comesTo(to, { status: "read" })
        yield* reply(inboundID, "Please call us")
        yield* settledAnswer(ticketID, "Sent")
        expect(yield* provider.taken(to)).toHaveLength(2)
      }
    })
  )

  it.effect("and loses after newer messages came is no longer in the ticket's summary", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      const { ticketSummaries } = yield* clientOf("acme-admin")
      const { messageID, ticketID, to } = yield* sent({ status: "sent" })
      yield* waits(messageID)
      yield* newMessage({ ticketID, message: "Are you there?" })
      const summary = ticketSummaries.getHistorySummary({ path: { id: ticketID } })
      expect(yield* summary).toContain("(1 more)")
      yield* provider.comesTo(to, { status: "undelivered" })
      yield* isOver(messageID)
      expect(yield* summary).not.toContain("(1 more)")
    })
  )

  it.effect("is not asked about before its time", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      const { messageID, to } = yield* sent({ status: "sent" })
      const looks = yield* waits(messageID)
      yield* hoursPass(messageID, -1)
      yield* hurry("FollowText")
      yield* waits(messageID, looks)
      expect(yield* provider.asked(to)).toBe(1)
    })
  )

  it.effect("is not asked about any more once delivered", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      for (const status of ["delivered", "read"]) {
        const { messageID, ticketID, to } = yield* sent({ status })
        yield* isOver(messageID)
        expect(yield* outcome(ticketID)).toEqual(["EndUser Replied", "CustomerRep Sent"])
        expect(yield* provider.asked(to)).toBe(1)
      }
    })
  )

  it.effect("is asked about again while the provider gives no answer", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      const { customers } = yield* clientOf("acme-admin")
      const { messageID, ticketID, to } = yield* sent("break")
      let looks = yield* waits(messageID)
      yield* customers.updateCustomer({ payload: { telephonyAuthToken: "a wrong token" } })
      yield* provider.comesTo(to, { status: "undelivered" })
      for (const telephonyAuthToken of ["another", ""]) {
        yield* hurry("FollowText")
        looks = yield* waits(messageID, looks)
        yield* customers.updateCustomer({ payload: { telephonyAuthToken } })
      }
      yield* hurry("FollowText")
      yield* waits(messageID, looks)
      expect(yield* outcome(ticketID)).toEqual(["EndUser Replied", "CustomerRep Sent"])
      yield* configure
      yield* isOver(messageID)
      expect(yield* outcome(ticketID)).toEqual(["EndUser Failed", "CustomerRep Failed"])
    })
  )

  it.effect("is left alone after the last check, whatever the provider says then", () =>
    Effect.gen(function* () {
      const provider = yield* TelephonyServer
      for (const fate of ["break", { status: "sent" }, { status: "queued" }] as const) {
        const { messageID, ticketID, to } = yield* sent(fate)
        yield* waits(messageID)
        yield* hoursPass(messageID, 3)
        yield* isOver(messageID)
        expect(yield* provider.asked(to)).toBe(2)
        expect(yield* outcome(ticketID)).toEqual(["EndUser Replied", "CustomerRep Sent"])
        expect(yield* messageEvents(messageID)).toEqual(["MessageAdded", "MessageSent"])
      }
    })
  )

  it.effect("does not fail when it was deleted or no longer counts as sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const provider = yield* TelephonyServer
      const { ticketMessages } = yield* clientOf("acme-admin")
      const gone = yield* sent({ status: "sent" })
      const changed = yield* sent({ status: "sent" })
      yield* ticketMessages.deleteTicketMessage({ path: { id: gone.messageID } })
      yield* sql`
        update ticket_message set status = 'Escalated'
        where customer_id = 1 and ticket_message_id = ${changed.messageID}`
      for (const { messageID, to } of [gone, changed]) {
        yield* provider.comesTo(to, { status: "failed" })
        yield* isOver(messageID)
      }
      expect(yield* outcome(gone.ticketID)).toEqual(["EndUser Replied"])
      expect(yield* outcome(changed.ticketID)).toEqual(["EndUser Replied", "CustomerRep Escalated"])
      expect(yield* messageEvents(changed.messageID)).not.toContain("SendFailed")
    })
  )

  it.effect("is forgotten with the end user", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* sent({ status: "sent" })
      yield* waits(messageID)
      const endUserID = yield* Effect.fromNullable((yield* readTicket(ticketID)).endUserID)
      yield* erased(endUserID)
      expect(yield* followUps(messageID)).toEqual([])
    })
  )
})
