import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { type Arriving, GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, settled, subscribedChannel, ticketsArrive, ticketsOf } from "../support/MailApp.ts"
import { type MailParts, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** A mail sent by a form on a web page: its Reply-To names the person who filled it in. */
const formMail = (visitor: string, parts: MailParts = {}) =>
  mail({ from: "wordpress@shop.example", fromName: "The shop", replyTo: [visitor], ...parts })

const withReplyTo = (
  arriving: Arriving,
  ...replyTo: ReadonlyArray<{ readonly name?: string; readonly address: string }>
) => ({
  ...arriving,
  fields: { ...arriving.fields, replyTo: replyTo.map((emailAddress) => ({ emailAddress })) }
})

/** The first messages of a channel's tickets. */
const questionsOf = (channelID: ChannelID) =>
  Effect.flatMap(ticketsOf(channelID), (tickets) =>
    Effect.forEach(tickets, ({ ticketID }) => Effect.flatMap(messagesOf(ticketID), ([one]) => Effect.fromNullable(one)))
  )

layer(mailApp(), { excludeTestServices: true })("A mail with a Reply-To", (it) => {
  it.effect("comes from the person whom that names, and is answered there", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      yield* server.arrive(address, formMail("maria@mail.example"), formMail("tom@mail.example"))
      const [first, second] = yield* ticketsArrive(channelID, 2)
      // Each has a notification of its own: either may be the first.
      const question = (yield* questionsOf(channelID)).find(({ fromAddress }) => fromAddress === "maria@mail.example")
      expect(question).toMatchObject({ fromName: "maria" })
      expect(first?.endUserID).not.toBeNull()
      expect(first?.endUserID).not.toBe(second?.endUserID)

      const { ticketMessages } = yield* clientOf("acme-admin")
      const { messageID } = yield* Effect.fromNullable(question)
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "We come." } })
      const sent = Effect.sync(() => [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent"))
      const [answer] = yield* eventually(sent, ({ length }) => length === 1)
      expect(answer?.fields["toRecipients"]).toEqual([{ emailAddress: { address: "maria@mail.example" } }])
    })
  )

  it.effect("still comes from its writer when that names nobody else, or a list", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const from = { from: "maria@mail.example", fromName: "Maria Keller" }
      const tagged = address.replace("@", "+anything@")
      yield* server.arrive(
        address,
        mail({ ...from, subject: "Itself", replyTo: ["MARIA@mail.example", "else@mail.example"] }),
        mail({ ...from, subject: "The mailbox", replyTo: [address.toUpperCase(), tagged] }),
        mail({ ...from, subject: "No address", replyTo: ["nobody", " ", "a@b.example, c@d.example"] }),
        mail({
          ...from,
          subject: "A list",
          replyTo: ["list@lists.example"],
          headers: { "List-Id": "<lists.example>" }
        }),
        mail({
          ...from,
          subject: "Our own",
          replyTo: ["x@mail.example"],
          messageId: "<casework-1-x@casework.example>"
        }),
        withReplyTo(mail({ ...from, subject: "Without a name" }), { address }, { address: "home@mail.example" }),
        withReplyTo(mail({ ...from, subject: "An address for a name" }), {
          name: "Visitor@mail.example",
          address: "visitor@mail.example"
        }),
        // In the mailbox's own name, as some forms send.
        withReplyTo(mail({ from: address, fromName: "The shop", to: [address], subject: "Itself" }), {
          name: "guest@mail.example",
          address: "guest@mail.example"
        })
      )
      yield* ticketsArrive(channelID, 8)
      yield* settled(channelID)
      const senders = (yield* questionsOf(channelID)).map(({ fromAddress, fromName }) => [fromAddress, fromName])
      expect(senders.toSorted(([one = ""], [other = ""]) => (String(one) < String(other) ? -1 : 1))).toEqual([
        // A sender taken from the Reply-To does not get the name of the web page that sent the mail.
        ["guest@mail.example", null],
        ["home@mail.example", null],
        ...Array.from({ length: 5 }, () => ["maria@mail.example", "Maria Keller"]),
        ["visitor@mail.example", null]
      ])
      const { endUsers } = yield* clientOf("acme-admin")
      const visitor = (yield* ticketsOf(channelID)).find(({ subject }) => subject === "An address for a name")
      const path = { id: yield* Effect.fromNullable(visitor?.endUserID) }
      expect(yield* endUsers.getEndUser({ path })).toMatchObject({ FirstName: "visitor", LastName: "" })
    })
  )

  it.effect("counts as automatic by its writer and its headers, as any other mail", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const { tickets } = yield* clientOf("acme-admin")
      yield* server.arrive(address, formMail("maria@mail.example", { messageId: "<form@shop.example>" }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      const answering = { "In-Reply-To": "<form@shop.example>" }
      yield* server.arrive(
        address,
        formMail("maria@mail.example", { from: "mailer-daemon@shop.example", headers: answering }),
        formMail("maria@mail.example", { headers: { ...answering, "Auto-Submitted": "auto-replied" } })
      )
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).status).toBe("Closed")
    })
  )

  it.effect("joins a conversation only when its writer and its Reply-To both took part in it", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const arrives = (arriving: Arriving) => Effect.zipRight(server.arrive(address, arriving), settled(channelID))
      const same = { conversationId: "form" }
      yield* arrives(formMail("maria@mail.example", { ...same, subject: "Maria" }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      yield* arrives(formMail("maria@mail.example", same))
      yield* arrives(mail({ ...same, from: "maria@mail.example" }))
      yield* arrives(formMail("maria@mail.example", { ...same, from: "mallory@evil.example", subject: "Mallory" }))
      yield* arrives(formMail("tom@mail.example", { ...same, subject: "Tom" }))
      yield* ticketsArrive(channelID, 3)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["Maria", "Mallory", "Tom"])
      const joined = yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect(joined.map(({ fromAddress }) => fromAddress)).toEqual(Array.from(joined, () => "maria@mail.example"))
    })
  )
})
