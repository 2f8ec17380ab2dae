import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { actionsOf, onHook, resultsOf, unmap } from "./AutomationTools.ts"

layer(mailApp({}, testApp), { excludeTestServices: true })("An event without a message", (it) => {
  it.effect("is about the last message that a person wrote, not about an absence notice", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      yield* server.arrive(address, mail({ messageId: "<away@home.example>" }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      const headers = { "In-Reply-To": "<away@home.example>", "Auto-Submitted": "auto-replied" }
      yield* server.arrive(address, mail({ text: "I am away.", headers }))
      const [question, notice] = yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
      const rows = yield* onHook("OnTicketClosed", { operation: "SetStatus", parameters: { status: "Open" } })
      const { tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      const done = yield* resultsOf(yield* Effect.fromNullable(question?.messageID), "OnTicketClosed", 1)
      expect(done.map(({ status }) => status)).toEqual(["Done"])
      expect(yield* actionsOf(yield* Effect.fromNullable(notice?.messageID))).toEqual([])
      yield* unmap(rows)
    })
  )
})
