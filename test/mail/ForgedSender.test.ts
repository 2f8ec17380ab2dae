import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { isForged } from "../../src/mail/ForgedSender.ts"
import { GraphMessage } from "../../src/mail/GraphShapes.ts"
import { doneTo } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, settled, subscribedChannel, ticketsArrive, ticketsOf } from "../support/MailApp.ts"
import { type MailParts, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** What the provider writes above a mail that anybody sent in the name of the mailbox, and above a real one. */
const forged = {
  "Authentication-Results":
    "spf=fail (sender IP is 203.0.113.9) smtp.mailfrom=acme.example; dkim=none (message not signed) header.d=none;dmarc=fail action=none header.from=acme.example;compauth=fail reason=001"
}
const proven = {
  "Authentication-Results":
    "spf=pass (sender IP is 203.0.113.5) smtp.mailfrom=acme.example; dkim=pass (signature was verified) header.d=acme.example;dmarc=pass action=none header.from=acme.example;compauth=pass reason=100"
}

const judged = (...results: ReadonlyArray<string>) =>
  isForged(
    Schema.decodeSync(GraphMessage)({
      id: "one",
      internetMessageHeaders: results.map((value) => ({ name: "authentication-results", value }))
    }),
    "Support@Acme.example"
  )

describe("A mail in the name of the mailbox", () => {
  it("is believed if the provider proved it, or had nothing to check", () => {
    for (const real of [
      proven["Authentication-Results"],
      // Mail inside the provider, in its newer and its older form.
      "dkim=none (message not signed) header.d=none;dmarc=none action=none header.from=acme.example;",
      "spf=none (sender IP is ) smtp.mailfrom=support@acme.example;",
      // Signed by the provider's own domain only, without a DMARC record.
      "spf=pass (sender IP is 203.0.113.5) smtp.mailfrom=mail.acme.example; dkim=pass header.d=acme.onmicrosoft.example;dmarc=none action=none header.from=acme.example;compauth=softpass reason=202",
      "spf=softfail smtp.mailfrom=list.example;\r\n dkim=pass header.i=@acme.example; dmarc=bestguesspass header.from=acme.example",
      "mx.provider.example; dmarc=pass (p=NONE sp=NONE) header.from=acme.example; spf=neutral smtp.mailfrom=x@list.example",
      // Nothing but none, and nobody from outside.
      "spf=none (sender IP is ) smtp.mailfrom=acme.example; dkim=none; dmarc=none; compauth=none",
      "spf=none smtp.mailfrom=acme.example; dkim=none; dmarc=none",
      // By a forwarder whom the customer's provider was told to trust.
      "spf=fail (sender IP is 203.0.113.7) smtp.mailfrom=acme.example; dkim=fail (body hash did not verify) header.d=acme.example;dmarc=fail action=none header.from=acme.example;compauth=pass reason=130",
      // The sender's words do not refute it either.
      'spf=pass (he said \\) "a; (dmarc=fail) b) smtp.mailfrom="\\"; dmarc=fail"@acme.example; dmarc=pass header.from=acme.example',
      "mx.provider.example; none",
      ""
    ]) {
      expect(judged(real), real).toBe(false)
    }
    expect(judged()).toBe(false)
  })

  it("is not believed if the provider refuted it, or checked it in vain", () => {
    for (const untrue of [
      forged["Authentication-Results"],
      // Proven for the domain of the sender's own server, which is not that of the From.
      "spf=pass (sender IP is 203.0.113.9) smtp.mailfrom=evil.example; dkim=pass (signature was verified) header.d=evil.example;dmarc=none action=none header.from=acme.example;compauth=softpass reason=201",
      "spf=none (sender IP is 203.0.113.9) smtp.mailfrom=evil.example; dkim=none;dmarc=none action=none header.from=acme.example",
      "spf=none smtp.helo=evil.example; dkim=none; dmarc=none header.from=acme.example; compauth=none",
      "spf=none smtp.mailfrom=acme.example; dkim=none; dmarc=none header.from=acme.example; compauth=fail reason=601",
      "spf=softfail smtp.mailfrom=acme.example; dkim=none; dmarc=none header.from=acme.example",
      "dkim=fail (body hash did not verify) header.d=acme.example; dmarc=temperror header.from=acme.example",
      "spf=pass smtp.mailfrom=notacme.example; dkim=none; dmarc=none header.from=acme.example",
      // The sender's words, which only look like a verdict.
      'spf=pass smtp.mailfrom="x; dmarc=pass header.from=acme.example"@evil.example; dmarc=none header.from=acme.example',
      "spf=pass (x; dmarc=pass header.from=acme.example) smtp.mailfrom=evil.example; dmarc=none header.from=acme.example",
      "spf=pass smtp.mailfrom=evil.example (x (y) z; dmarc=pass); dmarc=none header.from=acme.example",
      "spf=pass (x (y) z; dmarc=pass header.from=acme.example ) smtp.mailfrom=evil.example; dmarc=none",
      "spf=pass (x (y) z; compauth=pass) smtp.mailfrom=evil.example; dmarc=fail header.from=acme.example",
      // Of no domain.
      "spf=softfail smtp.mailfrom=evil.example; dmarc=pass",
      "spf=pass smtp.mailfrom=; dkim=pass header.d=; dmarc=none header.from=acme.example",
      // From outside, of a domain that publishes nothing to check.
      "spf=none (sender IP is 203.0.113.9) smtp.mailfrom=acme.example; dkim=none; dmarc=none; compauth=none",
      "spf=none (sender IP is 2001:db8::9) smtp.mailfrom=acme.example; dkim=none",
      "dkim=pass header.d=acme.example; dmarc=none header.from=acme.example; compauth=fail reason=601",
      "dmarc=fail header.from=acme.example; compauth=pass reason=130; compauth=fail reason=001",
      "dmarc=fail header.from=acme.example; compauth=pass reason=130; compauth=none reason=452",
      // Whose words these are, nobody can tell.
      'spf=none smtp.mailfrom=acme.example "; dmarc=fail header.from=acme.example',
      "spf=none smtp.mailfrom=acme.example (; dmarc=fail header.from=acme.example",
      "spf=softfail (x) y; dmarc=pass header.from=acme.example ) smtp.mailfrom=evil.example",
      `${proven["Authentication-Results"]}${" ".repeat(8_000)}`
    ]) {
      expect(judged(untrue), untrue).toBe(true)
    }
    expect(judged(forged["Authentication-Results"], proven["Authentication-Results"])).toBe(true)
  })
})

/** A ticket with a question, and how more mail arrives in its mailbox. */
const aTicket = Effect.gen(function* () {
  const server = yield* GraphServer
  const channel = yield* subscribedChannel
  const arrive = (parts: MailParts) => server.arrive(channel.address, mail(parts))
  yield* arrive({ subject: "Key", text: "I lost my key", messageId: "<key@home.example>", conversationId: "key" })
  const [ticket] = yield* ticketsArrive(channel.channelID, 1)
  const { ticketID } = yield* Effect.fromNullable(ticket)
  const [question] = yield* messagesOf(ticketID)
  const { messageID } = yield* Effect.fromNullable(question)
  return { ...channel, ticketID, messageID, arrive }
})

const answer = { to: ["tenant@home.example"], text: "It is at the desk" }

layer(mailApp(), { excludeTestServices: true })("A mail with the mailbox in its From", (it) => {
  it.effect("is no answer of the team unless the provider believes it", () =>
    Effect.gen(function* () {
      const { address, arrive, messageID, ticketID } = yield* aTicket
      const { tickets } = yield* clientOf("acme-admin")
      const headers = { "In-Reply-To": "<key@home.example>" }
      expect(yield* doneTo(messageID, { operation: "DraftReply" })).toMatchObject([{ status: "Done" }])
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      yield* arrive({ ...answer, from: address, fromName: "Acme Support", headers: { ...forged, ...headers } })
      const [, strange] = yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
      expect(strange).toMatchObject({ senderType: "EndUser", fromAddress: null, fromName: null })
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).status).toBe("Open")

      yield* arrive({ ...answer, from: address, headers: { ...proven, ...headers } })
      const [, , real] = yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect(real).toMatchObject({ senderType: "CustomerRep", status: "Sent", fromAddress: address })
    })
  )

  it.effect("does not keep actions from answering while it is not believed", () =>
    Effect.gen(function* () {
      const { address, arrive, messageID, ticketID } = yield* aTicket
      expect(yield* doneTo(messageID, { operation: "DraftReply" })).toMatchObject([{ status: "Done" }])
      yield* arrive({ ...answer, from: address, headers: { ...forged, "In-Reply-To": "<key@home.example>" } })
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
      expect(yield* doneTo(messageID, { operation: "SendReply" })).toMatchObject([{ status: "Done" }])
    })
  )

  it.effect("opens a ticket of somebody unknown if it is forged, and nothing is sent to the mailbox", () =>
    Effect.gen(function* () {
      const { address, arrive, channelID, mailbox, ticketID } = yield* aTicket
      // In the question's conversation, and to people who take part in it: that is the sender's claim, too.
      const place = { from: address, conversationId: "key", headers: forged }
      yield* arrive({ ...answer, ...place, subject: "To a customer" })
      yield* arrive({ ...place, to: [address], replyTo: [address], subject: "To itself" })
      yield* arrive({ ...place, to: [address], replyTo: ["guest@mail.example"], subject: "By a form" })
      yield* ticketsArrive(channelID, 4)
      yield* settled(channelID)
      expect(yield* messagesOf(ticketID)).toHaveLength(1)
      const subjects: Record<string, string | null> = {}
      for (const { subject, ticketID: id } of (yield* ticketsOf(channelID)).slice(1)) {
        const [message] = yield* messagesOf(id)
        const { fromAddress, messageID, senderType } = yield* Effect.fromNullable(message)
        expect(senderType).toBe("EndUser")
        subjects[subject ?? ""] = fromAddress
        yield* doneTo(messageID, { operation: "DraftReply" }, { operation: "SendReply" })
      }
      expect(subjects).toEqual({ "To a customer": null, "To itself": null, "By a form": "guest@mail.example" })
      const answers = Effect.sync(() =>
        [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent" || folderID === "AAMk-drafts")
      )
      const sent = yield* eventually(answers, (all) => all.length > 0 && all.every(({ isDraft }) => !isDraft))
      expect(sent.map(({ fields }) => fields["toRecipients"])).toEqual([
        [{ emailAddress: { address: "guest@mail.example" } }]
      ])
    })
  )

  it.effect("is not imported again if it was imported before such mail was doubted", () =>
    Effect.gen(function* () {
      const { address, arrive, channelID } = yield* aTicket
      const sameMail = {
        from: address,
        to: [address],
        replyTo: ["guest@mail.example"],
        subject: "By a form",
        messageId: "<form@acme.example>",
        received: new Date()
      }
      yield* arrive(sameMail)
      yield* ticketsArrive(channelID, 2)
      yield* arrive({ ...sameMail, headers: forged })
      yield* settled(channelID)
      expect(yield* ticketsOf(channelID)).toHaveLength(2)
    })
  )

  it.effect("does not keep the team's mail of the same words from coming in", () =>
    Effect.gen(function* () {
      const { address, arrive, channelID, ticketID } = yield* aTicket
      const sameMail = { ...answer, from: address, messageId: "<program@acme.example>", received: new Date() }
      const replied = { "In-Reply-To": "<key@home.example>" }
      // Who got the answer sends it back, twice, before the folder of sent mail is read.
      for (const headers of [{ ...forged, ...replied }, { ...forged, ...replied }, replied]) {
        yield* arrive({ ...sameMail, headers })
        yield* settled(channelID)
      }
      const senders = (yield* messagesOf(ticketID)).map(({ senderType }) => senderType)
      expect(senders).toEqual(["EndUser", "EndUser", "CustomerRep"])
    })
  )

  it.effect("is still ignored as a copy of an answer that left from here, whoever sends it back", () =>
    Effect.gen(function* () {
      const { address, arrive, channelID, mailbox, messageID, ticketID } = yield* aTicket
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "We come." } })
      const sent = Effect.sync(() => [...mailbox.messages.values()].find(({ folderID }) => folderID === "AAMk-sent"))
      const left = yield* eventually(sent, (found) => found !== undefined)
      const messageId = String(left?.fields["internetMessageId"])
      yield* arrive({ ...answer, from: address, messageId, headers: forged })
      yield* arrive({ subject: "Last" })
      yield* ticketsArrive(channelID, 2)
      yield* settled(channelID)
      expect(yield* messagesOf(ticketID)).toHaveLength(2)
      expect(yield* ticketsOf(channelID)).toHaveLength(2)
    })
  )
})
