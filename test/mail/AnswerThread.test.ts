import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

layer(mailApp(), { excludeTestServices: true })("What a representative writes in a ticket that came by mail", (it) => {
  const thread = Effect.gen(function* () {
    const server = yield* GraphServer
    const { address, channelID, mailbox } = yield* subscribedChannel
    const parts = {
      from: "tenant@home.example",
      subject: "Heating",
      conversationId: "cold",
      messageId: "<cold@home.example>"
    }
    yield* server.arrive(address, mail({ ...parts, text: "It is cold." }))
    const [ticket] = yield* ticketsArrive(channelID, 1)
    const { ticketID } = yield* Effect.fromNullable(ticket)
    const write = (message: string, toAddress?: string) =>
      Effect.gen(function* () {
        const { ticketMessagesOnPhone } = yield* clientOf("acme-admin")
        yield* ticketMessagesOnPhone.createTicketMessage({
          payload: {
            ticketID,
            channelID,
            senderType: "CustomerRep",
            message,
            ...(toAddress !== undefined && { toAddress })
          }
        })
        const sent = Effect.sync(() =>
          [...mailbox.messages.values()].find(
            ({ fields, folderID }) => folderID === "AAMk-sent" && JSON.stringify(fields["body"]).includes(message)
          )
        )
        const { fields } = yield* Effect.flatMap(
          eventually(sent, (found) => found !== undefined),
          Effect.fromNullable
        )
        return {
          subject: fields["subject"],
          conversationId: fields["conversationId"] ?? null,
          to: fields["toRecipients"],
          content: String(Object(fields["body"])["content"])
        }
      })
    const bounces = Effect.gen(function* () {
      const headers = { "In-Reply-To": "<cold@home.example>", "Return-Path": "<>" }
      yield* server.arrive(address, mail({ from: "mailer-daemon@home.example", headers }))
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
    })
    return { write, bounces }
  })

  it.effect("goes into its thread, also when it answers no message in particular", () =>
    Effect.gen(function* () {
      const { write } = yield* thread
      const sent = yield* write("Somebody comes at nine.")
      expect(sent).toMatchObject({ subject: "Re: Heating", conversationId: "cold" })
      expect(sent.content).toContain("It is cold.")
    })
  )

  it.effect("goes to the person who asked, and not to a program that wrote since", () =>
    Effect.gen(function* () {
      const { bounces, write } = yield* thread
      yield* bounces
      expect((yield* write("The mail came back.")).to).toEqual([{ emailAddress: { address: "tenant@home.example" } }])
    })
  )

  it.effect("shows nobody a mail that was not theirs", () =>
    Effect.gen(function* () {
      const { write } = yield* thread
      const sent = yield* write("Please look at the boiler.", "plumber@pipes.example")
      expect(sent.conversationId).toBeNull()
      expect(sent.content).not.toContain("It is cold.")
    })
  )
})
