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
})
