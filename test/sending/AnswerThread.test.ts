import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { textIn } from "../support/Fields.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"

layer(mailApp(), { excludeTestServices: true })("A representative's message in a ticket that came by mail", (it) => {
  const thread = Effect.gen(function* () {
    const server = yield* GraphServer
    const { address, channelID, ...place } = yield* subscribedChannel
    let { mailbox } = place
    const parts = {
      from: "tenant@home.example",
      subject: "Heating",
      conversationId: "cold",
      messageId: "<cold@home.example>"
    }
    yield* server.arrive(address, mail({ ...parts, text: "It is cold.\r\n0 < 1 <b>degree" }))
    const [ticket] = yield* ticketsArrive(channelID, 1)
    const { ticketID } = yield* Effect.fromNullable(ticket)
    const write = (message: string, other: { readonly toAddress?: string; readonly htmlBody?: string } = {}) =>
      Effect.gen(function* () {
        const { ticketMessagesOnPhone } = yield* clientOf("acme-admin")
        yield* ticketMessagesOnPhone.createTicketMessage({
          payload: {
            ticketID,
            channelID,
            senderType: "CustomerRep",
            ...(other.htmlBody === undefined && { message }),
            ...other
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
          content: textIn(fields["body"], "content")
        }
      })
    const bounces = Effect.gen(function* () {
      const headers = { "In-Reply-To": "<cold@home.example>", "Return-Path": "<>" }
      yield* server.arrive(address, mail({ from: "mailer-daemon@home.example", headers }))
      yield* eventually(messagesOf(ticketID), ({ length }) => length === 2)
    })
    const move = Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const emailAddress = `new-${address}`
      yield* channels.updateChannel({ path: { id: channelID }, payload: { emailAddress } })
      mailbox = server.mailbox(emailAddress)
    })
    return { write, bounces, move }
  })

  it.effect("goes into the thread, even when it answers no message in particular", () =>
    Effect.gen(function* () {
      const { write } = yield* thread
      const sent = yield* write("Somebody comes at nine.")
      expect(sent).toMatchObject({ subject: "Re: Heating", conversationId: "cold" })
      expect(sent.content).toContain("It is cold.<br>0 &lt; 1 &lt;b&gt;degree")
    })
  )

  it.effect("still leaves when the channel has a new mailbox that does not know the thread", () =>
    Effect.gen(function* () {
      const { move, write } = yield* thread
      yield* move
      const sent = yield* write("From our new mailbox.")
      expect(sent).toMatchObject({ subject: "Re: Heating", conversationId: null })
    })
  )

  it.effect("keeps its HTML, and shows where its links lead in plain text", () =>
    Effect.gen(function* () {
      const { write } = yield* thread
      const htmlBody =
        '<p>Please <a href="https://pay.example/inv/1">pay <b>here</b></a>.</p><script>x</script><p>Or <a href="mailto:pay@acme.example">write</a>.</p>'
      const { content } = yield* write(">here<", { htmlBody })
      expect(content).toMatch(/^<p>Please <a href="https:\/\/pay\.example\/inv\/1"[^>]*>pay <b>here<\/b><\/a>\.<\/p>/)
      expect(content).not.toContain("<script")
      expect(content.indexOf("It is cold.")).toBeGreaterThan(content.indexOf("here"))

      const mailer = yield* TestMailer
      yield* newMessage({ senderType: "CustomerRep", htmlBody, message: "", toAddress: "tenant@home.example" })
      const { html, text } = yield* mailer.next
      expect(html).toContain('href="https://pay.example/inv/1"')
      expect(text).toMatch(/^Please pay here \(https:\/\/pay\.example\/inv\/1\)\.\nOr write \(pay@acme\.example\)\./)
      yield* newMessage({ senderType: "CustomerRep", message: "Without form", toAddress: "tenant@home.example" })
      expect(yield* mailer.next).not.toHaveProperty("html")
    })
  )

  it.effect("goes to the person who asked, not to a program that has written since", () =>
    Effect.gen(function* () {
      const { bounces, write } = yield* thread
      yield* bounces
      expect((yield* write("The mail came back.")).to).toEqual([{ emailAddress: { address: "tenant@home.example" } }])
    })
  )

  it.effect("does not quote the thread to another recipient", () =>
    Effect.gen(function* () {
      const { write } = yield* thread
      const sent = yield* write("Please look at the boiler.", { toAddress: "plumber@pipes.example" })
      expect(sent.conversationId).toBeNull()
      expect(sent.content).not.toContain("It is cold.")
    })
  )
})
