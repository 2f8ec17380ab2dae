import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { channelOf, newTicket } from "../tickets/TicketTools.ts"
import { newChannel } from "../topics/Mappings.ts"
import { messageEvents, messagesOf, newMessage, readMessage, settledAnswer } from "./MessageTools.ts"

const reply = (id: TicketMessageID, modifiedAnswer?: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    ticketMessages.sendReply({ path: { id }, payload: modifiedAnswer === undefined ? {} : { modifiedAnswer } })
  )

const prepare = (id: TicketMessageID, aiReply: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    ticketMessages.updateTicketMessage({ path: { id }, payload: { aiReply } })
  )

layer(quietApp(), { excludeTestServices: true })("An answer", (it) => {
  it.effect("is the edited text, kept beside the draft, and is sent as a mail", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { tickets } = yield* clientOf("acme-admin")
      const inbound = yield* newMessage({ subject: "My key", fromAddress: "lost@mail.example" })
      yield* prepare(inbound.messageID, "The draft")
      expect(yield* reply(inbound.messageID, "The edited text")).toEqual({ message: expect.stringMatching(/\w+/) })
      const mail = yield* mailer.next
      expect(mail).toMatchObject({ customerID: 1, to: "lost@mail.example", subject: "Re: My key", isAutomatic: false })
      expect(mail.text).toMatch(/^The edited text/)
      const { ticketToken } = yield* tickets.getTicket({ path: { id: inbound.ticketID } })
      const sent = yield* settledAnswer(inbound.ticketID, "Sent")
      expect(mail.messageId).toBe(`<casework-${sent?.messageID}-${ticketToken}@casework.example>`)
      expect(sent).toMatchObject({
        senderType: "CustomerRep",
        customerRepName: "Acme Admin",
        message: "The edited text",
        toAddress: "lost@mail.example",
        aiReply: null
      })
      expect(yield* readMessage(inbound.messageID)).toMatchObject({ status: "Replied", aiReply: "The draft" })
      expect(yield* messageEvents(sent.messageID)).toEqual(["MessageAdded", "MessageSent"])
    })
  )

  it.effect("prefixes the subject with Re: only when there is an earlier message", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const write = { senderType: "CustomerRep", toAddress: "new@mail.example", subject: "Your contract" } as const
      const { ticketID } = yield* newMessage(write)
      expect((yield* mailer.next).subject).toBe("Your contract")
      yield* newMessage({ ...write, ticketID })
      expect((yield* mailer.next).subject).toBe("Re: Your contract")
    })
  )

  it.effect("gets no second prefix in its subject, whichever language the first one is in", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      for (const [asked, answered] of [
        ["AW: Re: Schlüssel", "AW: Re: Schlüssel"],
        ["SV: Antw: Odp: VS: x", "SV: Antw: Odp: VS: x"],
        ["RE[2]: x", "RE[2]: x"],
        ["回复：x", "回复：x"],
        ["WG: Schlüssel", "Re: WG: Schlüssel"],
        ["Reading: the meter", "Re: Reading: the meter"],
        ["Re the key", "Re: Re the key"]
      ] as const) {
        const { messageID } = yield* newMessage({ subject: asked })
        yield* reply(messageID, "Answer")
        expect((yield* mailer.next).subject).toBe(answered)
        expect((yield* readMessage(messageID)).subject).toBe(asked)
      }
    })
  )

  it.effect("is the draft when nothing else is given, and needs one of the two", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const inbound = yield* newMessage({ subject: "RE: again" })
      for (const empty of [undefined, "", "  \n"]) {
        expect(yield* Effect.flip(reply(inbound.messageID, empty))).toMatchObject({
          status: 400,
          details: [{ path: "modifiedAnswer" }]
        })
      }
      expect(yield* messagesOf(inbound.ticketID)).toEqual([inbound])
      yield* prepare(inbound.messageID, "Just the draft")
      yield* reply(inbound.messageID, " ")
      const mail = yield* mailer.next
      expect([mail.subject, mail.text.split("\n")[0]]).toEqual(["RE: again", "Just the draft"])
      // The mail comes from the service's own address, so a reply must go to the channel's.
      const { channels } = yield* clientOf("acme-admin")
      const { emailAddress } = yield* channels.getChannel({ path: { id: yield* channelOf("Email", "acme") } })
      expect(emailAddress).not.toBeNull()
      expect(mail.replyTo).toBe(emailAddress)
    })
  )

  it.effect("can be given once: a second one is 409, and an answer to an answer 400", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const inbound = yield* newMessage()
      yield* reply(inbound.messageID, "First")
      yield* mailer.next
      expect(yield* Effect.flip(reply(inbound.messageID, "Second"))).toMatchObject({ status: 409 })
      const sent = yield* settledAnswer(inbound.ticketID, "Sent")
      expect(yield* Effect.flip(reply(sent.messageID, "x"))).toMatchObject({ status: 400 })
      expect(yield* messagesOf(inbound.ticketID)).toHaveLength(2)
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("is delivered exactly once, however many send it at once", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const token = yield* tokenOf("acme-admin")
      const inbound = yield* newMessage({ fromAddress: "fifty@mail.example" })
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) =>
          sendJson("POST", `/ticketMessages/${inbound.messageID}/send`, {
            token,
            body: { modifiedAnswer: `Answer ${index}` }
          }),
        { concurrency: 50 }
      )
      const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []))
      expect(winners).toHaveLength(1)
      expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(
        new Set([409])
      )
      expect((yield* mailer.next).text).toMatch(new RegExp(`^Answer ${winners[0]}\\b`))
      yield* settledAnswer(inbound.ticketID, "Sent")
      expect(yield* mailer.count).toBe(0)
      expect((yield* messagesOf(inbound.ticketID)).map(({ senderType, status }) => [senderType, status])).toEqual([
        ["EndUser", "Replied"],
        ["CustomerRep", "Sent"]
      ])
    })
  )

  it.effect("never deadlocks while the same message is escalated, corrected, changed and liked", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const token = yield* tokenOf("acme-admin")
      for (let round = 0; round < 4; round++) {
        const inbound = yield* newMessage()
        const at = `/ticketMessages/${inbound.messageID}`
        const { ticketToken } = yield* Effect.flatMap(clientOf("acme-admin"), ({ tickets }) =>
          tickets.getTicket({ path: { id: inbound.ticketID } })
        )
        const all = yield* Effect.forEach(
          [
            sendJson("POST", `${at}/send`, { token, body: { modifiedAnswer: "x" } }),
            sendJson("POST", `${at}/escalate-by-id`, { token, body: {} }),
            sendJson("POST", `${at}/correct-topics`, { token, body: { topicIds: [] } }),
            sendJson("PUT", at, { token, body: { isOpened: true } }),
            sendJson("PUT", `/tickets/${inbound.ticketID}`, { token, body: { subject: "y" } }),
            sendJson("GET", `/ticketMessages/${ticketToken}/like-dislike?like=true`),
            sendJson("POST", "/ticketMessages/create-new", {
              token,
              body: { ticketID: inbound.ticketID, message: "z" }
            })
          ],
          (request) => request,
          { concurrency: 7 }
        )
        expect(all.map(({ status }) => status)).toEqual([200, 200, 204, 204, 204, 200, 200])
        // One mail with the answer, one to the default representative.
        expect([(yield* mailer.next).to, (yield* mailer.next).to].toSorted()).toEqual([
          "admin@acme.example",
          "tenant@mail.example"
        ])
        yield* settledAnswer(inbound.ticketID, "Sent")
      }
    })
  )

  it.effect("ends with the representative's signature in the ticket's language", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { representatives, signatures, tickets } = yield* clientOf("acme-admin")
      const { items } = yield* representatives.listCustomerReps({ urlParams: { search: "acme-admin" } })
      const { customerRepID: id } = yield* Effect.fromNullable(items[0])
      yield* representatives.updateCustomerRep({ path: { id }, payload: { emailSignatureText: "Own signature" } })
      yield* signatures.saveSignature({
        path: { id },
        payload: { customerRepID: id, lang: "de", emailSignatureText: "Mit freundlichen Grüßen" }
      })
      const mailIn = (language: string | null) =>
        Effect.gen(function* () {
          const inbound = yield* newMessage()
          yield* tickets.updateTicket({ path: { id: inbound.ticketID }, payload: { language } })
          yield* reply(inbound.messageID, "Answer")
          return (yield* mailer.next).text
        })
      expect(yield* mailIn("de-CH")).toBe("Answer\n\n-- \nMit freundlichen Grüßen")
      expect(yield* mailIn("fr")).toBe("Answer\n\n-- \nOwn signature")
      expect(yield* mailIn(null)).toBe("Answer\n\n-- \nOwn signature")
      const html = { emailSignatureHTML: "<p>Ann &amp; <b>Bob</b></p>", emailSignatureText: null }
      yield* representatives.updateCustomerRep({ path: { id }, payload: html })
      expect(yield* mailIn(null)).toBe("Answer\n\n-- \nAnn & Bob")
    })
  )

  it.effect("goes to a mail address, whatever else the end user is known by, or is refused with a reason", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { endUsers } = yield* clientOf("acme-admin")
      yield* endUsers.createEndUser({
        payload: {
          FirstName: "V",
          LastName: "V",
          Email: "visitor@mail.example",
          UIDs: [
            { UID: "v-77", UIDType: "External" },
            { UID: "no address at all", UIDType: "Email", IsPrimary: true }
          ]
        }
      })
      const { ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const channelID = yield* channelOf()
      const create = (payload: Parameters<typeof ticketMessagesOnPhone.createTicketMessage>[0]["payload"]) =>
        ticketMessagesOnPhone.createTicketMessage({ payload })
      const known = yield* create({ channelID, message: "hi", uid: "v-77", fromAddress: "" })
      yield* reply(known.messageID, "To the profile's address")
      expect((yield* mailer.next).to).toBe("visitor@mail.example")
      const unknown = yield* create({ channelID, message: "hi", uid: "nobody-knows" })
      expect(yield* Effect.flip(reply(unknown.messageID, "x"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/no address/)
      })
      expect(yield* readMessage(unknown.messageID)).toEqual(unknown)

      const { ticketID } = known
      const written = yield* create({ ticketID, message: "By hand", senderType: "CustomerRep" })
      expect(written).toMatchObject({
        status: "Queued",
        toAddress: "visitor@mail.example",
        customerRepName: "Acme Admin"
      })
      expect((yield* mailer.next).to).toBe("visitor@mail.example")
      yield* create({ ticketID, message: "Elsewhere", senderType: "CustomerRep", toAddress: "other@mail.example" })
      expect((yield* mailer.next).to).toBe("other@mail.example")
      for (const toAddress of ["nowhere", "a@b.example\r\nBcc: c@d.example"]) {
        expect(
          yield* Effect.flip(create({ ticketID, message: "x", senderType: "CustomerRep", toAddress }))
        ).toMatchObject({ status: 400, details: [{ path: "toAddress" }] })
      }
      const said = yield* create({ ticketID, message: "Said on the phone", senderType: "CustomerRep", status: "Sent" })
      expect([said.status, yield* messageEvents(said.messageID)]).toEqual(["Sent", ["MessageAdded"]])
      expect((yield* messagesOf(ticketID)).map(({ status }) => status).filter((status) => status === "Failed")).toEqual(
        []
      )
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("is sent once when one of its recipients is refused, and its trace names that one", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { automation } = yield* clientOf("acme-agent")
      const toAddress = "both@mail.example, nobody@mail.example"
      const { messageID, ticketID } = yield* newMessage({ senderType: "CustomerRep", message: "To both", toAddress })
      yield* settledAnswer(ticketID, "Sent")
      const { entries } = yield* automation.getMessageTrace({ path: { id: messageID } })
      expect(JSON.stringify(entries)).toContain("Sent: The mail was sent, but not to nobody")
      expect((yield* mailer.next).to).toBe(toAddress)
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("goes where the conversation came from last, even when it answers no message in particular", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { endUsers } = yield* clientOf("acme-admin")
      yield* endUsers.createEndUser({
        payload: {
          FirstName: "Two",
          LastName: "Homes",
          UIDs: [{ UID: "office@two.example", IsPrimary: true }, { UID: "home@two.example" }]
        }
      })
      const { ticketID } = yield* newMessage({ fromAddress: "office@two.example" })
      const write = { ticketID, senderType: "CustomerRep", fromAddress: "support@acme.example" } as const
      yield* newMessage({ ticketID, fromAddress: "home@two.example" })
      expect((yield* newMessage(write)).toAddress).toBe("home@two.example")
      expect((yield* mailer.next).to).toBe("home@two.example")
      // An address from another channel is no address of this one.
      yield* newMessage({ ticketID, channelID: yield* channelOf("Chat"), fromAddress: "chat@two.example" })
      expect((yield* newMessage(write)).toAddress).toBe("home@two.example")
      expect((yield* mailer.next).to).toBe("home@two.example")
    })
  )

  it.effect("is stored for the client to read on chat and phone, and refused on a deleted channel", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mailer = yield* TestMailer
      for (const type of ["Chat", "Phone"] as const) {
        const inbound = yield* newMessage({ channelID: yield* channelOf(type), uid: "visitor-5" })
        yield* reply(inbound.messageID, "Read me")
        expect(yield* settledAnswer(inbound.ticketID, "Sent")).toMatchObject({ message: "Read me" })
      }
      const channelID = yield* newChannel("acme-admin")
      const inbound = yield* newMessage({ channelID })
      yield* sql`update channel set deleted_at = now() where customer_id = 1 and channel_id = ${channelID}`
      expect(yield* Effect.flip(reply(inbound.messageID, "x"))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/deleted/)
      })
      expect(yield* readMessage(inbound.messageID)).toEqual(inbound)
      expect(yield* mailer.count).toBe(0)
      expect((yield* newTicket()).status).toBe("Open")
    })
  )
})
