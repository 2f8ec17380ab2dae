import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive, ticketsOf } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { erased, secondLookLater } from "./RightsTools.ts"

const app = mailApp().pipe(Layer.provide(secondLookLater))

layer(app, { excludeTestServices: true })("Mail of an end user who was erased", (it) => {
  it.effect("is not imported again, and later mail belongs to a new end user", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const { channels, jobs, tickets } = yield* clientOf("acme-admin")
      const from = "erasmus@home.example"
      for (const number of [1, 2, 3]) {
        yield* server.arrive(address, mail({ from, subject: `Leak ${number}`, messageId: `<${number}@home.example>` }))
      }
      const before = yield* ticketsArrive(channelID, 3)
      const endUserID = yield* Effect.fromNullable(before[0]?.endUserID)
      // While the erasure is under way, more mail comes in.
      const [receipt] = yield* Effect.all(
        [
          erased(endUserID),
          Effect.forEach([4, 5, 6], (number) =>
            server.arrive(
              address,
              mail({ from, subject: `Leak ${number}`, headers: { "In-Reply-To": "<1@home.example>" } })
            )
          )
        ],
        { concurrency: "unbounded" }
      )
      expect(receipt.Status).toBe("Succeeded")
      const [job] = (yield* channels.importEmails({ path: { id: channelID } })).jobs
      const jobID = yield* Effect.fromNullable(job?.jobID)
      yield* eventually(jobs.getJob({ path: { id: jobID } }), ({ status }) => status === "Succeeded")
      const after = yield* ticketsOf(channelID)
      const old = after.filter(({ ticketID }) => before.some((known) => known.ticketID === ticketID))
      expect(old.map(({ endUserID: person, subject }) => [person, subject])).toEqual(old.map(() => [null, null]))
      for (const { ticketID } of old) {
        for (const { fromAddress, message } of yield* messagesOf(ticketID)) {
          expect([message, fromAddress]).toEqual([null, null])
        }
      }
      for (const { endUserID: person } of after.filter((ticket) => !old.includes(ticket))) {
        expect(person).not.toBe(endUserID)
      }
      yield* server.arrive(address, mail({ from, subject: "Hello again", headers: { References: "<1@home.example>" } }))
      const last = yield* ticketsArrive(channelID, after.length + 1)
      const ticket = yield* tickets.getTicket({ path: { id: yield* Effect.fromNullable(last.at(-1)?.ticketID) } })
      expect(ticket.subject).toBe("Hello again")
      expect(ticket.endUserID).not.toBe(endUserID)
    })
  )
})
