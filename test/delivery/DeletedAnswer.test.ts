import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { messageEvents } from "../ticketMessages/MessageTools.ts"

layer(mailApp(), { excludeTestServices: true })("A question whose answer is deleted", (it) => {
  const asked = Effect.gen(function* () {
    const server = yield* GraphServer
    const { address, channelID } = yield* subscribedChannel
    const { ticketMessages } = yield* clientOf("acme-admin")
    yield* server.arrive(address, mail())
    const { ticketID } = yield* Effect.flatMap(ticketsArrive(channelID, 1), ([one]) => Effect.fromNullable(one))
    const message = (index: number) => Effect.flatMap(messagesOf(ticketID), (all) => Effect.fromNullable(all[index]))
    const { messageID } = yield* message(0)
    const answer = (modifiedAnswer: string) =>
      ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer } })
    const answerIs = (status: string) => eventually(message(1), (one) => one.status === status)
    const remove = (id: TicketMessageID) => ticketMessages.deleteTicketMessage({ path: { id } })
    return { answer, answerIs, message, messageID, remove }
  })

  it.effect("can be answered again when the answer had not left yet", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { ticketMessages } = yield* clientOf("acme-admin")
      for (const [aiReply, status] of [
        [null, "Received"],
        ["We come.", "Drafted"]
      ] as const) {
        const { answer, answerIs, message, messageID, remove } = yield* asked
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply } })
        yield* server.set({ throttleSending: 1 })
        yield* answer("With a mistake.")
        yield* remove((yield* answerIs("Failed")).messageID)
        expect(yield* message(0)).toMatchObject({ status, aiReply })
        expect((yield* messageEvents(messageID)).at(-1)).toBe("MessageChanged")
        yield* answer("Without.")
        expect(yield* message(1)).toMatchObject({ message: "Without.", senderType: "CustomerRep" })
        expect((yield* message(0)).status).toBe("Replied")
      }
      yield* server.set()
    })
  )

  it.effect("stays answered when the answer had already left", () =>
    Effect.gen(function* () {
      const { answer, answerIs, message, remove } = yield* asked
      yield* answer("It has left.")
      yield* remove((yield* answerIs("Sent")).messageID)
      expect((yield* message(0)).status).toBe("Replied")
      expect(yield* Effect.flip(answer("Again"))).toMatchObject({ status: 409 })
    })
  )
})
