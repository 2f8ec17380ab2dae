import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelID, TicketID } from "../../schema/Ids.ts"
import { admin } from "../admin/RunAdmin.ts"
import { eventually } from "../support/Eventually.ts"
import { textIn } from "../support/Fields.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import {
  folderAt,
  folderOf as folderWith,
  importAll,
  mailApp,
  messagesOf,
  settled,
  subscribedChannel,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"
import { clientOf, send } from "../support/TestApp.ts"

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64"
)

const onlyTicket = (channelID: ChannelID) =>
  Effect.flatMap(ticketsArrive(channelID, 1), ([ticket]) => Effect.fromNullable(ticket))

const messagesArrive = (ticketID: TicketID, number: number) =>
  eventually(messagesOf(ticketID), (messages) => messages.length >= number)

/** A mail that has come, with an answer on its way to a provider that causes trouble. */
const answered = (
  question: ReturnType<typeof mail>,
  modifiedAnswer: string,
  difficulties: Parameters<GraphServer["Type"]["set"]>[0]
) =>
  Effect.gen(function* () {
    const server = yield* GraphServer
    const open = yield* subscribedChannel
    const { ticketMessages } = yield* clientOf("acme-admin")
    yield* server.arrive(open.address, question)
    const { ticketID } = yield* onlyTicket(open.channelID)
    const [message] = yield* messagesOf(ticketID)
    yield* server.set(difficulties)
    yield* ticketMessages.sendReply({
      path: { id: yield* Effect.fromNullable(message?.messageID) },
      payload: { modifiedAnswer }
    })
    return { ...open, ticketID }
  })

const folderOf = (channelID: ChannelID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channelFolders }) =>
    channelFolders.listChannelFolders({ path: { id: channelID } })
  ).pipe(Effect.flatMap(([folder]) => Effect.fromNullable(folder)))

layer(mailApp(), { excludeTestServices: true })("Imported mail", (it) => {
  it.effect("joins the ticket that it belongs to", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const first = mail({ subject: "Heating", messageId: "<first@home.example>", conversationId: "c1" })
      yield* server.arrive(address, first)
      const ticket = yield* onlyTicket(channelID)
      const arrives = (number: number, parts: Parameters<typeof mail>[0]) =>
        Effect.zipRight(server.arrive(address, mail(parts)), messagesArrive(ticket.ticketID, number))
      yield* arrives(2, { subject: "other words", headers: { "In-Reply-To": "<first@home.example>" } })
      yield* arrives(3, { headers: { References: "<first@home.example> <unknown@home.example>" } })
      yield* arrives(4, { conversationId: "c1" })
      yield* arrives(5, { to: [`mailbox+${ticket.ticketToken}@acme.example`], from: "else@home.example" })
      yield* server.arrive(address, mail({ subject: "Heating", conversationId: "c1", from: "stranger@home.example" }))
      const two = yield* ticketsArrive(channelID, 2)
      expect(two.map(({ subject }) => subject)).toEqual(["Heating", "Heating"])
      expect(yield* messagesOf(ticket.ticketID)).toHaveLength(5)
    })
  )

  it.effect("is shown without scripts, with its files and inline pictures", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const html = `<html><head><style>p{}</style></head><body><p onclick="x()">It <b>leaks</b></p><img src="cid:tap"><script>alert(1)</script><img src="https://spy.example/p.gif"></body></html>`
      yield* server.arrive(
        address,
        mail({
          html,
          attachments: [
            file("tap.png", "image/png", pixel, "tap"),
            file("../contract.pdf", "application/pdf", Buffer.from("%PDF-1.4 contract")),
            { ...file("Fwd: noise", "message/rfc822", Buffer.from("Subject: noise\r\n\r\n")), kind: "item" }
          ]
        })
      )
      const { ticketID } = yield* onlyTicket(channelID)
      const [message] = yield* messagesOf(ticketID)
      expect(message).toMatchObject({ message: "It leaks", hasAttachment: true })
      expect(message?.htmlBody).toContain('<img src="cid:tap"')
      expect(message?.htmlBody).not.toMatch(/script|onclick|spy|<style/)
      const { ticketMessageAttachments } = yield* clientOf("acme-admin")
      const attachments = yield* ticketMessageAttachments.listAttachments({
        path: { id: yield* Effect.fromNullable(message?.messageID) }
      })
      expect(attachments.map(({ contentType, fileName }) => [fileName, contentType])).toEqual([
        ["tap.png", "image/png"],
        ["contract.pdf", "application/pdf"],
        ["Fwd: noise.eml", "message/rfc822"]
      ])
      const download = yield* send("GET", `/api/File/${attachments[1]?.accessToken}`)
      expect([download.status, download.text]).toEqual([200, "%PDF-1.4 contract"])
    })
  )

  it.effect("reopens a ticket when a person wrote it, but not when a program did", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const { tickets } = yield* clientOf("acme-admin")
      yield* server.arrive(address, mail({ messageId: "<q@home.example>" }))
      const { ticketID } = yield* onlyTicket(channelID)
      const path = { id: ticketID }
      yield* tickets.updateTicket({ path, payload: { status: "Closed" } })
      const headers = { "In-Reply-To": "<q@home.example>" }
      yield* server.arrive(address, mail({ headers: { ...headers, "Auto-Submitted": "auto-replied" } }))
      yield* messagesArrive(ticketID, 2)
      expect((yield* tickets.getTicket({ path })).status).toBe("Closed")
      yield* server.arrive(address, mail({ headers }))
      yield* messagesArrive(ticketID, 3)
      expect((yield* tickets.getTicket({ path })).status).toBe("Open")
    })
  )

  it.effect("is kept when broken, tried again, set aside with its source, and imported when the operator asks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      const broken = mail({ subject: "Broken" })
      const { messages } = yield* server.arrive(
        address,
        { ...broken, fields: { ...broken.fields, receivedDateTime: "yesterday" } },
        mail({ subject: "Whole" })
      )
      const poison = yield* Effect.fromNullable(messages[0])
      expect((yield* onlyTicket(channelID)).subject).toBe("Whole")
      const failing = yield* eventually(folderOf(channelID), ({ failedMessages }) => failedMessages === 1)
      expect(failing.lastError).toContain("could not be read")
      // Makes the next attempt the last one, and due now.
      yield* sql`
          update job set attempts = 9, due_at = now()
          where customer_id = 1 and kind = 'ImportMessage' and payload ->> 'messageID' = ${poison.id}`
      const setAside = sql<{ kept: boolean }>`
          select blob_id is not null as kept from failed_mail
          where customer_id = 1 and external_id = ${poison.id} and set_aside_at is not null`
      expect(yield* eventually(setAside, (rows) => rows.length === 1)).toEqual([{ kept: true }])
      yield* settled(channelID)
      expect((yield* admin("mail", "list")).output).toContain(poison.id)

      const stored = yield* Effect.fromNullable(mailbox.messages.get(poison.id))
      stored.fields = broken.fields
      expect((yield* admin("mail", "retry")).output).toBe("Retrying 1 mail.")
      const both = yield* ticketsArrive(channelID, 2)
      expect(both.map(({ subject }) => subject)).toEqual(["Whole", "Broken"])
      const healthy = yield* eventually(folderOf(channelID), ({ failedMessages }) => failedMessages === 0)
      expect(healthy.lastError).toBeNull()
      expect((yield* admin("mail", "retry")).output).toBe("No mail is set aside.")
    })
  )

  it.effect("is answered once in its thread, with the signature, even when the sending breaks off", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox, ticketID } = yield* answered(
        mail({ subject: "Tap", messageId: "<tap@home.example>", conversationId: "tap" }),
        "We come <tomorrow>.\n\nAt nine.",
        { cutAfterSend: 1 }
      )
      // Lets the next attempt follow as soon as the broken one has failed.
      yield* eventually(Effect.zipRight(hurry("DeliverMessage"), messagesOf(ticketID)), (all) =>
        all.some(({ status }) => status === "Sent")
      )
      expect(server.state.switches.cutAfterSend).toBe(0)
      const sent = [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent")
      expect(sent).toHaveLength(1)
      expect(sent[0]?.fields).toMatchObject({ subject: "Re: Tap", conversationId: "tap" })
      const content = textIn(sent[0]?.fields["body"], "content")
      expect(content).toContain("<p>We come &lt;tomorrow&gt;.</p><p>At nine.</p>")
      expect(content).toContain("Acme Admin")
      expect(content).toContain("The tap in the kitchen leaks.")
      const messageID = String(sent[0]?.fields["internetMessageId"])
      expect(messageID).toMatch(/^<casework-\d+-[0-9a-f-]{36}@casework\.example>$/)
      expect([...mailbox.messages.values()].filter(({ isDraft }) => isDraft)).toEqual([])

      yield* server.arrive(address, mail({ headers: { "In-Reply-To": messageID }, from: "else@home.example" }))
      yield* messagesArrive(ticketID, 3)
      expect(yield* ticketsOf(channelID)).toHaveLength(1)
      yield* server.set()
    })
  )

  it.effect("joins its ticket as an answer when the customer wrote it elsewhere, and is ignored without a ticket", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      yield* server.arrive(address, mail({ messageId: "<ask@home.example>" }))
      const { ticketID } = yield* onlyTicket(channelID)
      yield* server.arrive(
        address,
        mail({ from: address, to: ["tenant@home.example"], headers: { "In-Reply-To": "<ask@home.example>" } }),
        mail({ from: address, to: ["somebody@home.example"], subject: "Out of the blue" })
      )
      const [, answer] = yield* messagesArrive(ticketID, 2)
      expect(answer).toMatchObject({ senderType: "CustomerRep", status: "Sent" })
      yield* server.arrive(address, mail({ subject: "Last" }))
      yield* eventually(ticketsOf(channelID), (all) => all.some(({ subject }) => subject === "Last"))
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["A leaking tap", "Last"])
    })
  )

  it.effect("does not recreate an end user when it is a copy of an earlier mail", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const original = mail({ from: "once@home.example" })
      yield* server.arrive(address, original)
      const { endUserID, ticketID } = yield* onlyTicket(channelID)
      yield* settled(channelID)
      yield* tickets.deleteTicket({ path: { id: ticketID } })
      yield* endUsers.deleteEndUser({ path: { id: yield* Effect.fromNullable(endUserID) } })

      mailbox.add("AAMk-sent", original.fields)
      const copies = yield* folderAt(channelID, "Sent")
      yield* importAll(channelID)
      yield* eventually(folderWith(copies.folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect(yield* ticketsOf(channelID)).toEqual([])
      const { items } = yield* endUsers.listEndUsers({ urlParams: { search: "once@home.example" } })
      expect(items).toEqual([])
    })
  )

  it.effect("belongs to its Reply-To address when a form sends it in the mailbox's name", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const form = { from: address, to: [address.toUpperCase()] }
      const mails = [
        mail({ ...form, subject: "Form", replyTo: ["visitor@home.example"], conversationId: "form" }),
        mail({ ...form, subject: "Nobody to reply to" }),
        // Copies of what the service or its people sent.
        mail({ ...form, subject: "Answer", headers: { "In-Reply-To": "<unknown@home.example>" } }),
        mail({ ...form, subject: "Notification", messageId: "<casework-notification-1@casework.example>" }),
        mail({ from: address, to: ["somebody@home.example"], cc: [address], subject: "Copy" }),
        mail({ subject: "Last" })
      ]
      // One after the other: together they would arrive in any order.
      for (const one of mails) yield* Effect.zipRight(server.arrive(address, one), settled(channelID))
      const tickets = yield* ticketsArrive(channelID, 3)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual([
        "Form",
        "Nobody to reply to",
        "Last"
      ])
      const senders = yield* Effect.forEach(tickets, ({ ticketID }) => messagesOf(ticketID))
      expect(senders.flat().map(({ fromAddress, senderType }) => [fromAddress, senderType])).toEqual([
        ["visitor@home.example", "EndUser"],
        [address, "EndUser"],
        ["tenant@home.example", "EndUser"]
      ])
      yield* server.arrive(address, mail({ from: "visitor@home.example", conversationId: "form" }))
      yield* messagesArrive(yield* Effect.map(Effect.fromNullable(tickets[0]), ({ ticketID }) => ticketID), 2)
    })
  )

  it.effect("is answered to every mailbox that its address names", () =>
    Effect.gen(function* () {
      const { channelID, mailbox } = yield* subscribedChannel
      const { ticketMessages, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const fromAddress = '"Keller, Maria" <maria@mail.example>, paul@mail.example'
      const { messageID } = yield* ticketMessagesOnPhone.createTicketMessage({
        payload: { channelID, fromAddress, message: "It leaks." }
      })
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "We come." } })
      const sent = Effect.sync(() => [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent"))
      const [answer] = yield* eventually(sent, ({ length }) => length === 1)
      expect(answer?.fields["toRecipients"]).toEqual([
        { emailAddress: { name: "Keller, Maria", address: "maria@mail.example" } },
        { emailAddress: { address: "paul@mail.example" } }
      ])
    })
  )

  it.effect("is answered from the existing draft when the provider allows it again, and not before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { mailbox, ticketID } = yield* answered(mail(), "We come tomorrow.", { throttleSending: 1 })
      const [, answer] = yield* eventually(messagesOf(ticketID), ([, one]) => one?.status === "Failed")
      const ofAnswer = sql`
          customer_id = 1 and kind = 'DeliverMessage' and payload ->> 'ticketMessageID' = ${String(answer?.messageID)}`
      const waiting = sql<{ attempts: number; seconds: number }>`
          select attempts, extract(epoch from due_at - now())::int as seconds from job
          where ${ofAnswer} and status = 'Queued'`
      const [job] = yield* eventually(waiting, ({ length }) => length === 1)
      expect(job?.seconds).toBeGreaterThan(280)
      // Being told to wait uses up no attempt, but does not reset the count either.
      expect(job?.attempts).toBe(1)
      yield* sql`update job set due_at = now() where ${ofAnswer}`
      yield* eventually(messagesOf(ticketID), ([, one]) => one?.status === "Sent")
      expect([...mailbox.messages.values()].map(({ folderID }) => folderID)).toEqual(["AAMk-inbox", "AAMk-sent"])
      yield* server.set()
    })
  )
})
