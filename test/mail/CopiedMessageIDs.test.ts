import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, settled, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { type MailParts, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** A ticket with a question, and how more mail comes into its mailbox, one after the other. */
const aTicket = Effect.gen(function* () {
  const server = yield* GraphServer
  const { address, channelID, mailbox } = yield* subscribedChannel
  const arrive = (parts: MailParts) => Effect.zipRight(server.arrive(address, mail(parts)), settled(channelID))
  yield* arrive({ subject: "Tap", messageId: "<tap@home.example>" })
  const [ticket] = yield* ticketsArrive(channelID, 1)
  const { ticketID } = yield* Effect.fromNullable(ticket)
  return { address, channelID, mailbox, ticketID, arrive }
})

const stranger = { from: "mallory@evil.example", subject: "Mine" }

const lastOf = (messages: Effect.Effect.Success<ReturnType<typeof messagesOf>>) => messages.at(-1)?.message

layer(mailApp(), { excludeTestServices: true })("A stranger's mail with a copied Message-ID", (it) => {
  it.effect("does not get the replies to the first mail that had it", () =>
    Effect.gen(function* () {
      const { arrive, channelID, ticketID } = yield* aTicket
      yield* arrive({ ...stranger, messageId: "<tap@home.example>" })
      yield* ticketsArrive(channelID, 2)
      yield* arrive({ text: "It still leaks", headers: { "In-Reply-To": "<tap@home.example>" } })
      yield* arrive({ text: "And drips", headers: { References: "<tap@home.example> <lost@home.example>" } })
      const joined = yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect(lastOf(joined)).toBe("And drips")
      expect(yield* ticketsArrive(channelID, 2)).toHaveLength(2)
    })
  )

  it.effect("does not get them either when it came before the mail that it copies", () =>
    Effect.gen(function* () {
      const { arrive, channelID, ticketID } = yield* aTicket
      const [early, late] = [new Date(Date.now() - 3_600_000), new Date(Date.now() - 60_000)]
      yield* arrive({ ...stranger, messageId: "<door@home.example>", received: late })
      yield* arrive({
        messageId: "<door@home.example>",
        text: "The door, too",
        headers: { "In-Reply-To": "<tap@home.example>" },
        received: early
      })
      yield* arrive({ text: "It is open", headers: { "In-Reply-To": "<door@home.example>" } })
      const joined = yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect(lastOf(joined)).toBe("It is open")
      expect(yield* ticketsArrive(channelID, 2)).toHaveLength(2)
    })
  )

  it.effect("does not get the replies to an answer of the team, from here or from the mail program", () =>
    Effect.gen(function* () {
      const { address, arrive, channelID, mailbox, ticketID } = yield* aTicket
      const [question] = yield* messagesOf(ticketID)
      const { messageID } = yield* Effect.fromNullable(question)
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "We come." } })
      const sent = Effect.sync(() => [...mailbox.messages.values()].find(({ folderID }) => folderID === "AAMk-sent"))
      const answer = yield* eventually(sent, (found) => found !== undefined)
      const byService = String(answer?.fields["internetMessageId"])
      const early = new Date(Date.now() - 3_600_000)
      yield* arrive({ ...stranger, messageId: byService, received: early })
      // The stranger got it as well, and was faster than the folder of sent mail.
      yield* arrive({ ...stranger, messageId: "<program@acme.example>", received: early })
      yield* arrive({
        from: address,
        to: ["tenant@home.example"],
        messageId: "<program@acme.example>",
        headers: { "In-Reply-To": "<tap@home.example>" }
      })
      yield* arrive({ text: "Thanks", headers: { "In-Reply-To": byService } })
      yield* arrive({ text: "Again", headers: { "In-Reply-To": "<program@acme.example>" } })
      const joined = yield* eventually(messagesOf(ticketID), ({ length }) => length === 5)
      expect(joined.map(({ senderType }) => senderType)).toEqual([
        "EndUser",
        "CustomerRep",
        "CustomerRep",
        "EndUser",
        "EndUser"
      ])
      expect(yield* ticketsArrive(channelID, 3)).toHaveLength(3)
    })
  )
})
