import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { doneTo } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { type MailParts, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

const byProgram = { from: "robot@mail.example", headers: { "Auto-Submitted": "auto-generated" } }

const sendReply = { operation: "SendReply" } as const

/** Sends a document that there is only for this. */
const sendDocument = Effect.gen(function* () {
  const { documents } = yield* clientOf("acme-admin")
  const { documentID } = yield* documents.createDocument({
    payload: { name: "Received", content: "We have received your message.", isDataRetrievalProcess: false }
  })
  return { operation: "SendDocument", parameters: { documentID } } as const
})

/** The ticket that a mail opens in a mailbox of its own, and what writes into it. */
const ticketOf = (parts: MailParts) =>
  Effect.gen(function* () {
    const server = yield* GraphServer
    const { address, channelID } = yield* subscribedChannel
    yield* server.arrive(address, mail(parts))
    const [ticket] = yield* ticketsArrive(channelID, 1)
    const { ticketID } = yield* Effect.fromNullable(ticket)
    const [opening] = yield* messagesOf(ticketID)
    const { messageID } = yield* Effect.fromNullable(opening)
    const write = (more: MailParts) => server.arrive(address, mail(more))
    return { ticketID, messageID, write }
  })

layer(mailApp(), { excludeTestServices: true })("Mail from a program", (it) => {
  it.effect("is answered by no action while nobody else has written in its ticket", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* ticketOf({ ...byProgram, subject: "Backup finished" })
      const skipped = {
        status: "Skipped",
        error: "Only programs have written in this ticket, so nobody would read an answer."
      }
      expect(yield* doneTo(messageID, { operation: "DraftReply" }, sendReply, yield* sendDocument)).toMatchObject([
        { status: "Done" },
        skipped,
        skipped
      ])
      expect(yield* messagesOf(ticketID)).toHaveLength(1)
    })
  )

  it.effect("in a person's ticket is not answered either, but a document goes to the person", () =>
    Effect.gen(function* () {
      const { ticketID, write } = yield* ticketOf({ subject: "Tap", messageId: "<tap@home.example>" })
      yield* write({ ...byProgram, headers: { ...byProgram.headers, "In-Reply-To": "<tap@home.example>" } })
      const [, notice] = yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
      const { messageID } = yield* Effect.fromNullable(notice)
      expect(yield* doneTo(messageID, { operation: "DraftReply" }, sendReply, yield* sendDocument)).toMatchObject([
        { status: "Done" },
        { status: "Failed", error: "This message was written by a program, so nobody would read an answer." },
        { status: "Done" }
      ])
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers).toMatchObject([{ toAddress: "tenant@home.example" }])
    })
  )

  it.effect("does not become the end user of a ticket that has none: no answer goes to who sent a bounce", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const { ticketMessagesOnPhone, tickets } = yield* clientOf("acme-admin")
      const { ticketID, ticketToken } = yield* tickets.createTicket({
        payload: { channelID, subject: "Your contract" }
      })
      const write = (more: { readonly toAddress?: string }) =>
        ticketMessagesOnPhone.createTicketMessage({
          payload: { ticketID, senderType: "CustomerRep", message: "Here is your contract", ...more }
        })
      yield* write({ toAddress: "no-such-tenant@home.example" })
      const arrive = (more: MailParts) =>
        server.arrive(address, mail({ to: [address.replace("@", `+${ticketToken}@`)], ...more }))
      yield* arrive({ from: "mailer-daemon@relay.example", headers: { "Auto-Submitted": "auto-replied" } })
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).endUserID).toBeNull()
      expect(yield* Effect.flip(write({}))).toMatchObject({
        status: 400,
        message: expect.stringContaining("There is no address")
      })
      // Who then writes in person becomes the end user.
      yield* arrive({ from: "tenant@home.example" })
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 3)
      expect((yield* write({})).toAddress).toBe("tenant@home.example")
    })
  )

  it.effect("leaves an answered ticket answered, unless it is a bounce, and counts only where nothing else does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ticketMessagesOnPhone, tickets } = yield* clientOf("acme-admin")
      const { ticketID, write } = yield* ticketOf({ ...byProgram, messageId: "<turns@home.example>" })
      const turn = Effect.map(tickets.getTicket({ path: { id: ticketID } }), ({ lastSenderType }) => lastSenderType)
      /** Also what is looked up while nothing is noted. */
      const turnIs = (expected: string) =>
        Effect.gen(function* () {
          expect(yield* turn).toBe(expected)
          yield* sql`
            update ticket set last_sender_type = null, modified_at = now()
            where customer_id = 1 and ticket_id = ${ticketID}`
          expect(yield* turn).toBe(expected)
        })
      const reply = (from: string, headers: Readonly<Record<string, string>> = {}) =>
        Effect.gen(function* () {
          const before = yield* messagesOf(ticketID)
          yield* write({ from, headers: { "In-Reply-To": "<turns@home.example>", ...headers } })
          yield* eventually(messagesOf(ticketID), ({ length }) => length > before.length)
        })
      const answer = ticketMessagesOnPhone.createTicketMessage({
        payload: { ticketID, senderType: "CustomerRep", message: "It was mended.", status: "Sent" }
      })
      const away = { "Auto-Submitted": "auto-replied" }
      expect(yield* turn).toBe("EndUser")
      yield* answer
      expect(yield* turn).toBe("CustomerRep")
      yield* reply("tenant@home.example", away)
      yield* turnIs("CustomerRep")
      yield* reply("tenant@home.example", away)
      yield* turnIs("CustomerRep")
      yield* reply("Postmaster@relay.example", away)
      expect(yield* turn).toBe("EndUser")
      yield* reply("tenant@home.example", away)
      yield* turnIs("EndUser")
      yield* answer
      yield* turnIs("CustomerRep")
      yield* reply("tenant@home.example")
      yield* turnIs("EndUser")
    })
  )

  it.effect("is all that counts while nothing else is in its ticket", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tickets } = yield* clientOf("acme-admin")
      const { ticketID } = yield* ticketOf(byProgram)
      yield* sql`update ticket set last_sender_type = null where customer_id = 1 and ticket_id = ${ticketID}`
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).lastSenderType).toBe("EndUser")
    })
  )
})
