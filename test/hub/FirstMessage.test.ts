import { randomUUID } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HubSentMessage } from "../../schema/Hub.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { channelTokenOf, type HubPeer, peer, visitorPeer } from "./HubTools.ts"

const decodeSent = Schema.decodeUnknown(HubSentMessage)

const begin = ({ invoke }: HubPeer, ticketToken: string, message: string) =>
  Effect.flatMap(invoke("SendMessage", { ticketToken, message }), decodeSent)

layer(testApp(), { excludeTestServices: true })("The first message of a chat", (it) => {
  it.scoped("may choose the chat's token, so that repeating it creates only one ticket", () =>
    Effect.gen(function* () {
      const ticketToken = randomUUID()
      const lost = yield* visitorPeer()
      const back = yield* visitorPeer()
      expect((yield* Effect.flip(back.invoke("ResumeChat", ticketToken))).message).toMatch(/no such chat/i)
      const first = yield* begin(lost, ticketToken.toUpperCase(), "Hello?")
      expect(first.ticketToken).toBe(ticketToken)
      expect(yield* back.invoke("ResumeChat", ticketToken)).toMatchObject({ messages: [{ message: "Hello?" }] })

      const other = yield* visitorPeer()
      const again = yield* begin(other, ticketToken, "Hello again")
      expect(again).toMatchObject({ ticketID: first.ticketID, ticketToken })
      // A client that repeats it is in that chat from then on.
      yield* other.invoke("Typing", first.ticketID)
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: first.ticketID } })
      expect(items.map(({ message }) => message).sort()).toEqual(["Hello again", "Hello?"])
    })
  )

  it.scoped("creates one message in one ticket even when sent several times at once and again later", () =>
    Effect.gen(function* () {
      const ticketToken = randomUUID()
      const visitors = yield* Effect.replicateEffect(visitorPeer(), 6)
      const [last, ...first] = visitors
      const atOnce = yield* Effect.forEach(first, (one) => begin(one, ticketToken, "At once"), {
        concurrency: "unbounded"
      })
      const said = [...atOnce, yield* begin(yield* Effect.fromNullable(last), ticketToken, "At once")]
      expect(new Set(said.map(({ messageID, ticketID }) => `${ticketID} ${messageID}`)).size).toBe(1)
      const { ticketMessages, tickets } = yield* clientOf("acme-admin")
      const { items } = yield* tickets.listTickets({ urlParams: { channelType: "Chat" } })
      const [ticket, ...others] = items.filter(({ subject }) => subject === "At once")
      expect(others).toEqual([])
      const ticketId = (yield* Effect.fromNullable(ticket)).ticketID
      expect((yield* ticketMessages.listTicketMessages({ urlParams: { ticketId } })).items).toHaveLength(1)
      // Each of them is in the chat now: whatever it sends next is a new message, even the same words.
      yield* (yield* Effect.fromNullable(first[0])).invoke("SendMessage", { message: "At once" })
      expect((yield* ticketMessages.listTicketMessages({ urlParams: { ticketId } })).items).toHaveLength(2)
    })
  )

  it.scoped("cannot choose the token of somebody else's ticket, nor anything but a UUID", () =>
    Effect.gen(function* () {
      const ticketToken = randomUUID()
      yield* begin(yield* visitorPeer(), ticketToken, "Mine")
      const stranger = yield* peer(`?channelToken=${yield* channelTokenOf("Globex")}`, {
        origin: "https://globex.example"
      })
      expect((yield* Effect.flip(begin(stranger, ticketToken, "Mine, too"))).message).toMatch(
        /ticketToken is already in use/
      )
      expect((yield* Effect.flip(begin(stranger, "1", "Hm"))).message).toMatch(/ticketToken/)
      // The refused attempts have not begun a chat.
      expect((yield* begin(stranger, randomUUID(), "My own")).ticketToken).not.toBe(ticketToken)
    })
  )
})
