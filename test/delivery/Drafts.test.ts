import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelID, TicketMessageID } from "../../schema/Ids.ts"
import { erased } from "../dataRights/RightsTools.ts"
import { formWith, upload } from "../files/Uploads.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** A question that came by mail, and how to answer it. */
const asked = Effect.gen(function* () {
  const server = yield* GraphServer
  const channel = yield* subscribedChannel
  const { ticketMessages } = yield* clientOf("acme-admin")
  yield* server.arrive(channel.address, mail())
  const { ticketID } = yield* Effect.flatMap(ticketsArrive(channel.channelID, 1), ([one]) => Effect.fromNullable(one))
  const message = (index: number) => Effect.flatMap(messagesOf(ticketID), (all) => Effect.fromNullable(all.at(index)))
  const { messageID } = yield* message(0)
  const answer = (modifiedAnswer: string) =>
    ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer } })
  const answerIs = (status: string) => eventually(message(-1), (one) => one.status === status)
  const inFolder = (folderID: string) =>
    [...channel.mailbox.messages.values()].filter((one) => one.folderID === folderID)
  const counts = Effect.sync(() => [inFolder("AAMk-drafts").length, inFolder("AAMk-sent").length])
  return { ...channel, ticketID, messageID, message, answer, answerIs, counts }
})

const sqlOf = <A>(use: (sql: SqlClient.SqlClient) => A) => Effect.map(SqlClient.SqlClient, use)

/** Postpones the next attempt at an answer beyond the end of the test. */
const holdBack = (answerID: TicketMessageID) =>
  eventually(
    Effect.flatten(
      sqlOf(
        (sql) => sql`
          update job set due_at = now() + interval '1 hour' where customer_id = 1 and kind = 'DeliverMessage'
            and payload ->> 'ticketMessageID' = ${String(answerID)} and status = 'Queued' returning 1`
      )
    ),
    ({ length }) => length === 1
  )

/** The same, with an answer that the provider holds as a draft and could not send. */
const stuck = Effect.gen(function* () {
  const server = yield* GraphServer
  const question = yield* asked
  yield* server.set({ failPath: "/send" })
  yield* question.answer("With a mistake.")
  const { messageID: answerID } = yield* question.answerIs("Failed")
  yield* eventually(question.counts, ([drafts]) => drafts === 1)
  yield* holdBack(answerID)
  yield* server.set()
  return { ...question, answerID }
})

/** Makes the request to send look as if it had been made long ago. */
const letSendingEnd = (channelID: ChannelID) =>
  Effect.flatten(
    sqlOf(
      (sql) => sql`
        update mail_message set sending_at = sending_at - interval '11 minutes'
        where customer_id = 1 and channel_id = ${channelID}`
    )
  )

const removals = (channelID: ChannelID) =>
  Effect.flatten(
    sqlOf(
      (sql) => sql<{ status: string; claims: number }>`
        select status, claims from job
        where customer_id = 1 and kind = 'RemoveDraft' and payload ->> 'channelID' = ${String(channelID)}`
    )
  )

/** Hurries the removal until it has this status and has been tried at least so often. */
const removalIs = (channelID: ChannelID, status: string, atLeast = 1) =>
  eventually(
    Effect.zipRight(hurry("RemoveDraft"), removals(channelID)),
    (all) => all.length > 0 && all.every((one) => one.status === status && one.claims >= atLeast)
  )

const deliveryIsOver = (answerID: TicketMessageID) =>
  eventually(
    Effect.flatten(
      sqlOf(
        (sql) => sql`
          select status from job where customer_id = 1 and kind = 'DeliverMessage'
            and payload ->> 'ticketMessageID' = ${String(answerID)} and status in ('Queued', 'Running')`
      )
    ),
    ({ length }) => length === 0
  )

type Stuck = Effect.Effect.Success<typeof stuck>

const asAdmin = clientOf("acme-admin")

/** The ways in which an answer can go away before it has left. */
const ends = {
  "its answer": ({ answerID }: Stuck) =>
    Effect.flatMap(asAdmin, ({ ticketMessages }) => ticketMessages.deleteTicketMessage({ path: { id: answerID } })),
  "its ticket": ({ ticketID }: Stuck) =>
    Effect.flatMap(asAdmin, ({ tickets }) => tickets.deleteTicket({ path: { id: ticketID } })),
  "many tickets": ({ ticketID }: Stuck) =>
    Effect.flatMap(asAdmin, ({ tickets }) =>
      tickets.bulkUpdateTickets({ payload: { action: "delete", ticketIDs: [ticketID] } })
    ),
  "what is known of a person": ({ ticketID }: Stuck) =>
    Effect.flatMap(asAdmin, ({ tickets }) => tickets.getTicket({ path: { id: ticketID } })).pipe(
      Effect.flatMap(({ endUserID }) => Effect.fromNullable(endUserID)),
      Effect.flatMap(erased),
      Effect.asVoid
    )
}

layer(mailApp(), { excludeTestServices: true })("The draft of an answer", (it) => {
  for (const [cause, end] of Object.entries(ends)) {
    it.effect(`is removed with ${cause}, once nobody can be sending it any more`, () =>
      Effect.gen(function* () {
        const one = yield* stuck
        yield* end(one)
        // The request to send it may still be under way.
        yield* removalIs(one.channelID, "Queued", 2)
        expect(yield* one.counts).toEqual([1, 0])
        yield* letSendingEnd(one.channelID)
        yield* removalIs(one.channelID, "Succeeded")
        expect(yield* one.counts).toEqual([0, 0])
      })
    )
  }

  it.effect("is removed when the answer is given up, and answering again sends one mail", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { answer, answerIs, channelID, counts, message } = yield* stuck
      yield* server.set({ fail: { requests: 1000, status: 403 } })
      yield* eventually(Effect.zipRight(hurry("DeliverMessage"), message(0)), ({ status }) => status === "Failed")
      yield* server.set()
      yield* removalIs(channelID, "Queued")
      yield* answer("Without.")
      yield* answerIs("Sent")
      expect(yield* counts).toEqual([1, 1])
      yield* letSendingEnd(channelID)
      yield* removalIs(channelID, "Succeeded")
      expect(yield* counts).toEqual([0, 1])
    })
  )

  it.effect("is not deleted when it turns out to have been sent", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { answer, answerIs, channelID, counts } = yield* asked
      yield* server.set({ cutAfterSend: 1 })
      yield* answer("It has left.")
      const { messageID } = yield* answerIs("Failed")
      yield* holdBack(messageID)
      yield* server.set()
      yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
      yield* letSendingEnd(channelID)
      yield* removalIs(channelID, "Succeeded")
      expect(yield* counts).toEqual([0, 1])
    })
  )

  it.effect("is looked for with patience while the provider is away, and may be gone by then", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { answerID, channelID, counts, mailbox } = yield* stuck
      yield* server.set({ fail: { requests: 1000, status: 403 } })
      yield* ticketMessages.deleteTicketMessage({ path: { id: answerID } })
      yield* letSendingEnd(channelID)
      // More attempts than other work gets.
      yield* removalIs(channelID, "Queued", 12)
      mailbox.messages.clear()
      yield* server.set()
      yield* removalIs(channelID, "Succeeded")
      expect(yield* counts).toEqual([0, 0])
    })
  )

  it.effect("is removed unsent when its answer is deleted while it is being made", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { ticketMessages } = yield* clientOf("acme-admin")
      const moments = [
        // The provider is about to create it.
        { drafts: 0, seen: 0 },
        // It is filled in, and files are about to be uploaded.
        { drafts: 1, seen: 2 }
      ]
      for (const { drafts, seen } of moments) {
        const { answer, channelID, counts, mailbox, message, messageID } = yield* asked
        expect((yield* upload(messageID, formWith("price list", "prices.txt", "text/plain"))).status).toBe(200)
        const before = server.state.seen.length
        const requests = Effect.sync(
          () => server.state.seen.slice(before).filter(({ path }) => path.includes("/messages/")).length
        )
        yield* server.set({ latency: 6000 })
        yield* answer("With a mistake.")
        yield* eventually(
          Effect.all([counts, requests, Effect.sync(() => mailbox.atOnce)]),
          ([[made], count, atOnce]) => made === drafts && count === seen && atOnce === 1
        )
        const { messageID: answerID } = yield* message(-1)
        yield* ticketMessages.deleteTicketMessage({ path: { id: answerID } })
        yield* server.set()
        yield* removalIs(channelID, "Succeeded")
        yield* deliveryIsOver(answerID)
        expect(yield* counts).toEqual([0, 0])
      }
    })
  )
})
