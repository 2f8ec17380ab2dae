import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { DocumentID, type TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { answering } from "../support/Hostile.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { retrievalOf, upstreamApp } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { messagesOf, readMessage, settledAnswer } from "../ticketMessages/MessageTools.ts"
import { channelOf } from "../tickets/TicketTools.ts"
import {
  actionsOf,
  allEventsOf,
  doneTo,
  endWait,
  fire,
  freshHook,
  nothingLeft,
  onHook,
  readTicket,
  representativeOf,
  resultsOf,
  settledMessage,
  unmap,
  type Wanted
} from "./AutomationTools.ts"

const quietText = "Zzz"

const quiet = settledMessage({ message: quietText })

const statuses = (results: ReadonlyArray<{ readonly status: string }>) => results.map(({ status }) => status)

const newDocument = (name: string, content: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ documents }) =>
    documents.createDocument({ payload: { name, content, isDataRetrievalProcess: false } })
  )

// The long timeout keeps a call open until the test has seen what it looks for.
layer(upstreamApp(Duration.minutes(2), testApp), { excludeTestServices: true })("An action", (it) => {
  it.effect("changes the ticket's status, closes and reopens it, and marks it as spam and not spam", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const steps: ReadonlyArray<readonly [Wanted, object]> = [
        [{ operation: "SetStatus", parameters: { status: "Pending" } }, { status: "Pending" }],
        [{ operation: "CloseTicket" }, { status: "Closed" }],
        [{ operation: "ReopenTicket" }, { status: "Open" }],
        [{ operation: "MarkSpam" }, { isSpam: true }],
        [{ operation: "NotSpam" }, { isSpam: false }]
      ]
      for (const [wanted, state] of steps) {
        const [result] = yield* doneTo(messageID, wanted)
        expect(result).toMatchObject({ operation: wanted.operation, status: "Done", error: null, topicID: null })
        expect(result?.dateRun).not.toBeNull()
        expect(yield* readTicket(ticketID)).toMatchObject(state)
      }
    })
  )

  it.effect("applies to the channel of its message, as explained, or to the ticket's channel without a message", () =>
    Effect.gen(function* () {
      const [mail, chat] = [yield* channelOf("Email"), yield* channelOf("Chat")]
      const { messageID, ticketID } = yield* quiet
      const inChat = yield* settledMessage({ message: quietText, ticketID, channelID: chat, uid: "visitor-1" })
      const hookName = freshHook()
      const setting = (value: string) => ({ operation: "SetCustomField", parameters: { key: value, value } }) as const
      const rows = yield* onHook(
        hookName,
        { ...setting("mail"), channelID: mail },
        { ...setting("chat"), channelID: chat }
      )
      for (const [id, channelID, [ran, passed]] of [
        [messageID, mail, rows],
        [inChat.messageID, chat, rows.toReversed()]
      ] as const) {
        const { skipped, steps, ...explained } = yield* fire(hookName, id)
        expect(explained.channelID).toBe(channelID)
        expect(steps.map(({ actionID }) => actionID)).toEqual([ran?.actionID])
        expect(skipped.map(({ actionID }) => actionID)).toEqual([passed?.actionID])
        expect(yield* resultsOf(id, hookName, 1)).toMatchObject([{ actionID: ran?.actionID, status: "Done" }])
      }
      const closing = yield* onHook(
        "OnTicketClosed",
        { ...setting("closedMail"), channelID: mail },
        { ...setting("closedChat"), channelID: chat }
      )
      const { tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      yield* nothingLeft
      expect((yield* readTicket(ticketID)).customFieldsData).toMatchObject({
        mail: "mail",
        chat: "chat",
        closedMail: "closedMail"
      })
      expect((yield* readTicket(ticketID)).customFieldsData).not.toHaveProperty("closedChat")
      yield* unmap(closing)
    })
  )

  it.effect("drafts no answer to an answer", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { documentID } = yield* newDocument("Note", "We are on it")
      yield* doneTo(messageID, { operation: "SendDocument", parameters: { documentID } })
      const { messageID: answerID } = yield* settledAnswer(ticketID, "Sent")
      expect((yield* (yield* TestMailer).next).to).toBe("tenant@mail.example")
      expect(yield* doneTo(answerID, { operation: "DraftReply" })).toMatchObject([
        { status: "Failed", error: expect.stringContaining("written by a representative") }
      ])
      expect(yield* readMessage(answerID)).toMatchObject({ aiReply: null, status: "Sent" })
    })
  )

  it.effect("assigns a representative, and fails when that one has been deleted", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { representatives } = yield* clientOf("acme-admin")
      const customerRepID = yield* representativeOf("acme-agent")
      expect(statuses(yield* doneTo(messageID, { operation: "AssignRep", parameters: { customerRepID } }))).toEqual([
        "Done"
      ])
      expect((yield* readTicket(ticketID)).customerRepID).toBe(customerRepID)

      const { customerRepID: leaver } = yield* representatives.createCustomerRep({
        payload: { username: "leaver", password: "Leaves-Soon-1", name: "Lea", email: "lea@acme.example" }
      })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "AssignRep", parameters: { customerRepID: leaver } })
      yield* representatives.deleteCustomerRep({ path: { id: leaver } })
      yield* fire(hookName, messageID)
      expect(yield* resultsOf(messageID, hookName, 1)).toMatchObject([
        { status: "Failed", error: `Representative ${leaver} no longer exists.` }
      ])
      expect((yield* readTicket(ticketID)).customerRepID).toBe(customerRepID)
    })
  )

  it.effect("escalates and sends a mail, as the route does", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { messageID, ticketID } = yield* quiet
      yield* doneTo(messageID, { operation: "Escalate", parameters: { email: "duty@acme.example" } })
      expect((yield* mailer.next).to).toBe("duty@acme.example")
      expect(yield* readTicket(ticketID)).toMatchObject({ status: "Escalated" })
      expect(yield* readMessage(messageID)).toMatchObject({ isEscalated: true })
    })
  )

  it.effect("drafts an answer and sends it, once", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update ticket_message set ai_reply = null where customer_id = 1 and ticket_message_id = ${messageID}`
      const [early] = yield* doneTo(messageID, { operation: "SendReply" })
      expect(early).toMatchObject({ status: "Failed", error: expect.stringContaining("no prepared answer to send") })

      const results = yield* doneTo(
        messageID,
        { operation: "DraftReply" },
        { operation: "SendReply" },
        { operation: "SendReply" }
      )
      expect(statuses(results)).toEqual(["Done", "Done", "Failed"])
      expect(results[2]?.error).toBe("This message has already been answered.")
      const { aiReply, status } = yield* readMessage(messageID)
      expect(status).toBe("Replied")
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers).toMatchObject([{ message: aiReply, customerRepID: null }])
      expect(aiReply).toContain("[sandbox]")
      const mailer = yield* TestMailer
      const mail = yield* Effect.repeat(mailer.next, { until: ({ text }) => text === aiReply })
      expect(mail.isAutomatic).toBe(true)
    })
  )

  it.effect("does not send a draft that a person has changed, and says so", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { ticketMessages } = yield* clientOf("acme-agent")
      const hookName = freshHook()
      yield* onHook(
        hookName,
        { operation: "DraftReply" },
        { operation: "Wait", parameters: { seconds: 3600 } },
        { operation: "SendReply" }
      )
      yield* fire(hookName, messageID)
      yield* eventually(actionsOf(messageID), (actions) =>
        actions.some(({ operation, status }) => operation === "DraftReply" && status === "Done")
      )
      yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "Half a sent" } })
      yield* endWait(messageID)
      const left = yield* resultsOf(messageID, hookName, 3)
      expect(left.map(({ error, status }) => [status, error])).toEqual([
        ["Done", null],
        ["Done", null],
        ["Failed", "The prepared answer was changed by a person, who has to send it."]
      ])
      expect((yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")).toEqual([])

      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: {} })
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers).toMatchObject([{ message: "Half a sent" }])
    })
  )

  it.effect("sends a draft that a person has only read and written back", () =>
    Effect.gen(function* () {
      const { messageID } = yield* quiet
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* doneTo(messageID, { operation: "DraftReply" })
      const { aiReply } = yield* readMessage(messageID)
      yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply, isOpened: true } })
      expect(statuses(yield* doneTo(messageID, { operation: "SendReply" }))).toEqual(["Done"])
    })
  )

  it.effect("sends no prepared answer after a person has answered by another route", () =>
    Effect.gen(function* () {
      const { ticketMessagesOnPhone } = yield* clientOf("acme-agent")
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      expect((yield* readMessage(messageID)).aiReply).not.toBeNull()
      yield* ticketMessagesOnPhone.createTicketMessage({
        payload: { ticketID, senderType: "CustomerRep", message: "It is at the desk." }
      })
      expect(yield* doneTo(messageID, { operation: "SendReply" })).toMatchObject([
        { status: "Failed", error: "This message has already been answered." }
      ])
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers.map(({ message }) => message)).toEqual(["It is at the desk."])
      // A later question can be answered automatically again.
      const later = yield* settledMessage({ message: "And my other key?", ticketID })
      expect(statuses(yield* doneTo(later.messageID, { operation: "SendReply" }))).toEqual(["Done"])
    })
  )

  it.effect("sends the prepared answer when the one that a person sent could not be delivered", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { ticketMessages } = yield* clientOf("acme-agent")
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      const { aiReply } = yield* readMessage(messageID)
      yield* mailer.fail(Object.assign(new Error("no such user"), { code: "EENVELOPE", responseCode: 550 }))
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "It is at the desk." } })
      yield* eventually(readMessage(messageID), ({ status }) => status === "Failed")
      yield* mailer.fail()
      expect(yield* doneTo(messageID, { operation: "SendReply" })).toMatchObject([{ status: "Done", error: null }])
      expect(yield* settledAnswer(ticketID, "Sent")).toMatchObject({ message: aiReply })
    })
  )

  it.effect("sends no answer after a person has marked the ticket as spam, except on OnSpam", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-agent")
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      const { documentID } = yield* newDocument("Opening hours", "From nine to five.")
      const sending = { operation: "SendDocument", parameters: { documentID } } as const
      const hookName = freshHook()
      const wait = { operation: "Wait", parameters: { seconds: 600 } } as const
      yield* onHook(hookName, wait, { operation: "SendReply" }, sending)
      const ofSpam = yield* onHook("OnSpam", sending)
      yield* fire(hookName, messageID)
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { isSpam: true } })
      yield* endWait(messageID)
      const left = yield* resultsOf(messageID, hookName, 3)
      expect(left.map(({ error, status }) => [status, error])).toEqual([
        ["Done", null],
        ["Skipped", "The ticket is spam."],
        ["Skipped", "The ticket is spam."]
      ])
      yield* resultsOf(messageID, "OnSpam", 1)
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers.map(({ message }) => message)).toEqual(["From nine to five."])
      yield* unmap(ofSpam)
    })
  )

  it.effect("leaves the ticket to a person after ten automatic mails, which a program may be answering", () =>
    Effect.gen(function* () {
      const { ticketMessages } = yield* clientOf("acme-agent")
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      const { documentID } = yield* newDocument("Received", "We have received your message.")
      const sending = { operation: "SendDocument", parameters: { documentID } } as const
      const sent = yield* doneTo(messageID, ...Array.from({ length: 10 }, () => sending))
      expect(new Set(statuses(sent))).toEqual(new Set(["Done"]))
      expect(yield* doneTo(messageID, sending, { operation: "SendReply" })).toMatchObject([
        {
          status: "Skipped",
          error: expect.stringMatching(/^Left to a person: automation sent 10 mails in this ticket/)
        },
        {
          status: "Skipped",
          error: expect.stringMatching(/^Left to a person: automation sent 10 mails in this ticket/)
        }
      ])
      // People may answer as often as they like, and a chat needs many answers.
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "By a person" } })
      expect(yield* settledAnswer(ticketID, "Sent")).toMatchObject({ message: "By a person" })
      const chat = yield* channelOf("Chat")
      const inChat = yield* settledMessage({ message: quietText, ticketID, channelID: chat, uid: "visitor-2" })
      expect(statuses(yield* doneTo(inChat.messageID, sending))).toEqual(["Done"])
    })
  )

  it.effect("takes for such answers neither what was said in a chat nor mails that never left", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { messageID, ticketID } = yield* settledMessage({ message: quietText, fromAddress: "chatty@mail.example" })
      const { documentID } = yield* newDocument("Received", "We have received your message.")
      const sending = { operation: "SendDocument", parameters: { documentID } } as const
      const tenOn = (id: TicketMessageID) => doneTo(id, ...Array.from({ length: 10 }, () => sending))
      const allDone = new Set(["Done"])
      const chat = yield* channelOf("Chat")
      const inChat = yield* settledMessage({ message: quietText, ticketID, channelID: chat, uid: "visitor-3" })
      expect(new Set(statuses(yield* tenOn(inChat.messageID)))).toEqual(allDone)
      yield* mailer.fail(Object.assign(new Error("no such user"), { code: "EENVELOPE", responseCode: 550 }))
      expect(new Set(statuses(yield* tenOn(messageID)))).toEqual(allDone)
      yield* nothingLeft
      yield* mailer.fail()
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(new Set(statuses(answers))).toEqual(new Set(["Sent", "Failed"]))
      expect(statuses(yield* doneTo(messageID, sending))).toEqual(["Done"])
    })
  )

  it.effect("sends a document with its placeholders filled", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { documentID } = yield* newDocument("Hours", "Ticket {{Ticket.id}} at {{CustomerName}}: {{Message.text}}")
      const empty = yield* newDocument("Nothing", " ")
      const results = yield* doneTo(
        messageID,
        { operation: "SendDocument", parameters: { documentID } },
        { operation: "SendDocument", parameters: { documentID: empty.documentID } }
      )
      expect(results).toMatchObject([
        { status: "Done" },
        { status: "Failed", error: 'The document "Nothing" is empty.' }
      ])
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      expect(answers).toMatchObject([
        { message: `Ticket ${ticketID} at Acme Rentals: ${quietText}`, toAddress: "tenant@mail.example" }
      ])
    })
  )

  it.effect("sends a document to the address that the question came from", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const UIDs = [{ UID: "office@three.example", IsPrimary: true }, { UID: "home@three.example" }]
      yield* endUsers.createEndUser({ payload: { FirstName: "Three", LastName: "Homes", UIDs } })
      const { messageID, ticketID } = yield* settledMessage({ message: quietText, fromAddress: "home@three.example" })
      const { documentID } = yield* newDocument("Address", "From nine to five.")
      yield* doneTo(messageID, { operation: "SendDocument", parameters: { documentID } })
      expect(yield* settledAnswer(ticketID, "Sent")).toMatchObject({ toAddress: "home@three.example" })
    })
  )

  it.effect("sends a document to the sender of its message on that message's channel, whoever has written since", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* settledMessage({
        message: "My code is 1234",
        fromAddress: "anna@two.example"
      })
      const { documentID } = yield* newDocument("Echo", "You wrote: {{Message.text}}")
      const sending = { operation: "SendDocument", parameters: { documentID } } as const
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "Wait", parameters: { seconds: 600 } }, sending)
      yield* fire(hookName, messageID)
      yield* settledMessage({ message: quietText, ticketID, fromAddress: "bob@two.example" })
      yield* endWait(messageID)
      yield* resultsOf(messageID, hookName, 2)
      expect(yield* settledAnswer(ticketID, "Sent")).toMatchObject({
        message: "You wrote: My code is 1234",
        toAddress: "anna@two.example"
      })

      const chat = yield* channelOf("Chat")
      const inChat = yield* settledMessage({ message: "In the chat", ticketID, channelID: chat, uid: "visitor-2" })
      yield* doneTo(inChat.messageID, sending)
      const answers = (yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")
      const inTheChat = answers.find(({ message }) => message === "You wrote: In the chat")
      expect(inTheChat?.channelID).toBe(chat)
    })
  )

  it.effect("notifies an address by mail", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { messageID, ticketID } = yield* settledMessage({ subject: "Tap\r\nBcc: x@y.example", message: "It drips" })
      yield* doneTo(messageID, { operation: "NotifyEmail", parameters: { to: "boss@acme.example" } })
      const mail = yield* eventually(mailer.next, ({ to }) => to === "boss@acme.example")
      expect(mail.subject).toBe(`Ticket ${ticketID}: Tap Bcc: x@y.example`)
      expect(mail.text).toContain("It drips")
    })
  )

  it.effect("sets a custom field and leaves the others", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      yield* doneTo(
        messageID,
        { operation: "SetCustomField", parameters: { key: "floor", value: 'third "left"' } },
        { operation: "SetCustomField", parameters: { key: "door", value: "" } }
      )
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ floor: 'third "left"', door: "" })
    })
  )

  it.effect(
    "calls an API, with the message's placeholders, and keeps the answer under the field's or document's name",
    () =>
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        const { messageID, ticketID } = yield* quiet
        yield* upstream.on("/keys", answering(200, "locker 4\u0000"))
        yield* upstream.on("/broken", answering(503, "no"))
        const keys = yield* retrievalOf("/keys?ticket={{Ticket.id}}", { name: "Key locker" })
        const broken = yield* retrievalOf("/broken", { name: "Broken" })
        const results = yield* doneTo(
          messageID,
          { operation: "CallApi", parameters: { documentID: keys } },
          { operation: "CallApi", parameters: { documentID: broken } },
          { operation: "CallApi", parameters: { documentID: keys, field: "locker" } }
        )
        expect(results).toMatchObject([
          { status: "Done" },
          { status: "Failed", error: "The API returned status 503." },
          { status: "Done" }
        ])
        expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ "Key locker": "locker 4", locker: "locker 4" })
        const urls = (yield* upstream.requests).map(({ url }) => url).filter((url) => url.startsWith("/keys"))
        expect(urls).toEqual([`/keys?ticket=${ticketID}`, `/keys?ticket=${ticketID}`])
      })
  )

  it.effect("refuses an API response that is too long for a custom field, and says so", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const { messageID, ticketID } = yield* quiet
      const longest = `${"é".repeat(32 * 1024 - 1)}ab`
      yield* upstream.on("/longest", answering(200, `\u0000${longest}`))
      yield* upstream.on("/longer", answering(200, `${longest}c`))
      const fits = yield* retrievalOf("/longest", { name: "Longest" })
      const tooLong = yield* retrievalOf("/longer", { name: "Longer" })
      const results = yield* doneTo(
        messageID,
        { operation: "CallApi", parameters: { documentID: fits, field: "fits" } },
        { operation: "CallApi", parameters: { documentID: tooLong, field: "tooLong" } }
      )
      expect(results).toMatchObject([
        { status: "Done" },
        { status: "Failed", error: "The API returned 65537 bytes, but a custom field can hold at most 65536." }
      ])
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ fits: longest })
    })
  )

  it.effect("is skipped when it does nothing, with the reason on the message", () =>
    Effect.gen(function* () {
      const { messageID } = yield* quiet
      const results = yield* doneTo(messageID, { operation: "None" }, { operation: "CloseTicket" })
      const byOperation = new Map(results.map((result) => [result.operation, result]))
      expect(byOperation.get("None")).toMatchObject({
        status: "Skipped",
        error: "The action has no operation.",
        dateRun: null
      })
      expect(byOperation.get("CloseTicket")).toMatchObject({ status: "Done" })
    })
  )

  it.effect("shows Waiting during a Wait, holds up the later actions and goes on when the time is over", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const hookName = freshHook()
      yield* onHook(
        hookName,
        { operation: "SetCustomField", parameters: { key: "a", value: "1" } },
        { operation: "Wait", parameters: { seconds: 3600 } },
        { operation: "SetCustomField", parameters: { key: "b", value: "2" } }
      )
      yield* fire(hookName, messageID)
      const waiting = yield* eventually(
        Effect.map(actionsOf(messageID), (actions) => actions.filter((action) => action.hookName === hookName)),
        (actions) => actions.some(({ status }) => status === "Done")
      )
      expect(statuses(waiting)).toEqual(["Done", "Waiting", "Waiting"])
      yield* endWait(messageID)
      expect(statuses(yield* resultsOf(messageID, hookName, 3))).toEqual(["Done", "Done", "Done"])
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ a: "1", b: "2" })
    })
  )

  it.effect("runs no sooner than the Wait before it says", () =>
    Effect.gen(function* () {
      const { messageID } = yield* quiet
      const results = yield* doneTo(
        messageID,
        { operation: "SetCustomField", parameters: { key: "a", value: "1" } },
        { operation: "Wait", parameters: { seconds: 3 } },
        { operation: "SetCustomField", parameters: { key: "b", value: "2" } }
      )
      const [before, , behind] = results.map(({ dateRun }) => dateRun?.epochMillis)
      expect((yield* Effect.fromNullable(behind)) - (yield* Effect.fromNullable(before))).toBeGreaterThanOrEqual(3000)
    })
  )

  it.effect("waits only for the rest of its time after its node has stopped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { messageID } = yield* quiet
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "Wait", parameters: { seconds: 3600 } }, { operation: "CloseTicket" })
      yield* fire(hookName, messageID)
      // A due_at and a queued job mean that the wait has begun.
      const asleep = sql<{ asleep: boolean }>`
        select job.status = 'Queued' and message_action.due_at is not null as asleep
        from job
        join message_action on message_action.customer_id = job.customer_id
          and message_action.hook_name = job.payload->>'hookName' and message_action.operation = 'Wait'
        where job.customer_id = 1 and job.kind = 'RunActions' and job.payload->>'hookName' = ${hookName}`
      yield* eventually(asleep, ([row]) => row?.asleep === true)
      // The job comes back early, as after a crash, with half a second to go.
      yield* sql`
        update message_action set due_at = clock_timestamp() + interval '500 milliseconds'
        where customer_id = 1 and hook_name = ${hookName} and operation = 'Wait'`
      yield* sql`
        update job set due_at = now()
        where customer_id = 1 and kind = 'RunActions' and payload->>'hookName' = ${hookName}`
      expect(statuses(yield* resultsOf(messageID, hookName, 2))).toEqual(["Done", "Done"])
    })
  )

  it.effect("is recorded and leaves nothing behind when it fails, and the rest go on", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const gone = DocumentID.make((yield* newDocument("Gone", "text")).documentID)
      const hookName = freshHook()
      yield* onHook(
        hookName,
        { operation: "SendDocument", parameters: { documentID: gone } },
        { operation: "MarkSpam" },
        { operation: "Escalate" },
        { operation: "SetCustomField", parameters: { key: "last", value: "reached" } }
      )
      const { documents } = yield* clientOf("acme-admin")
      yield* documents.deleteDocument({ path: { id: gone } })
      yield* fire(hookName, messageID)
      expect(yield* resultsOf(messageID, hookName, 4)).toMatchObject([
        { status: "Failed", error: `Document ${gone} no longer exists.` },
        { status: "Done", error: null },
        { status: "Failed", error: "Spam cannot be escalated. Mark the ticket as not spam first." },
        { status: "Done", error: null }
      ])
      expect(yield* readMessage(messageID)).toMatchObject({ isEscalated: false })
      expect(yield* readTicket(ticketID)).toMatchObject({ customFieldsData: { last: "reached" }, isSpam: true })
    })
  )

  it.effect("is repeated after an interruption when that is harmless, and otherwise recorded as interrupted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const upstream = yield* UpstreamServer
      const counted = (path: string) =>
        Effect.map(upstream.requests, (requests) => requests.filter(({ url }) => url === path).length)
      for (const [apiMethod, times, results] of [
        ["GET", 2, ["Done", "Done"]],
        ["POST", 1, ["Failed", "Done"]]
      ] as const) {
        const path = `/slow-${apiMethod}`
        const late: Array<() => void> = []
        yield* upstream.on(path, (_, response) => {
          if (late.length === 0) late.push(() => response.end("late"))
          else response.end("in time")
        })
        const documentID = yield* retrievalOf(path, { name: `Slow ${apiMethod}`, apiMethod })
        const { messageID } = yield* quiet
        const hookName = freshHook()
        yield* onHook(hookName, { operation: "CallApi", parameters: { documentID } }, { operation: "CloseTicket" })
        yield* fire(hookName, messageID)
        yield* eventually(counted(path), (count) => count === 1)
        // Lets the claim expire until another worker has taken the job over, as after a crash.
        yield* eventually(
          sql`
            update job set due_at = now() - interval '1 second'
            where customer_id = 1 and kind = 'RunActions' and payload->>'hookName' = ${hookName} and attempts = 1
            returning 1`,
          (rows) => rows.length === 0
        )
        const seen = yield* resultsOf(messageID, hookName, 2)
        expect(statuses(seen)).toEqual(results)
        if (apiMethod === "POST") expect(seen[0]?.error).toContain("The call was interrupted")
        for (const answer of late) answer()
        yield* nothingLeft
        expect(yield* counted(path)).toBe(times)
        expect(statuses(yield* resultsOf(messageID, hookName, 2))).toEqual(results)
      }
    })
  )
})

layer(upstreamApp(undefined, testApp), { excludeTestServices: true })("A chain of actions", (it) => {
  const countOf = (kind: string, kinds: ReadonlyArray<string>) => kinds.filter((one) => one === kind).length

  it.effect("ends when it would fire itself: each action runs once", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const rows = [
        ...(yield* onHook("OnTicketClosed", { operation: "ReopenTicket" })),
        ...(yield* onHook("OnTicketReopened", { operation: "CloseTicket" }))
      ]
      yield* doneTo(messageID, { operation: "CloseTicket" })
      yield* nothingLeft
      yield* unmap(rows)
      const happened = (yield* allEventsOf(ticketID)).map(({ kind }) => kind)
      // Closed by hand, reopened by one hook, closed again by the other one: then both actions have run.
      expect([countOf("TicketClosed", happened), countOf("TicketReopened", happened)]).toEqual([2, 1])
      expect(yield* actionsOf(messageID)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ hookName: "OnTicketClosed", status: "Done" }),
          expect.objectContaining({ hookName: "OnTicketReopened", status: "Done" }),
          expect.objectContaining({
            hookName: "OnTicketClosed",
            status: "Skipped",
            error: expect.stringContaining("once per chain")
          })
        ])
      )
    })
  )

  it.effect("continues through deliveries: a document that OnMessageSent sends is sent once", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { documentID } = yield* newDocument("Survey", "How did we do?")
      const rows = yield* onHook("OnMessageSent", { operation: "SendDocument", parameters: { documentID } })
      yield* doneTo(messageID, { operation: "SendReply" })
      // Deliveries enqueue runs that enqueue deliveries, each before it ends itself.
      yield* nothingLeft
      yield* unmap(rows)
      const surveys = (yield* messagesOf(ticketID)).filter(({ message }) => message === "How did we do?")
      expect(surveys).toHaveLength(1)
      const [survey] = surveys
      if (survey === undefined) return
      const events = (yield* allEventsOf(ticketID)).filter((event) => event.messageID === survey.messageID)
      expect(events.map(({ kind }) => kind)).toEqual(["MessageAdded", "MessageSent"])
      expect(yield* actionsOf(survey.messageID)).toMatchObject([{ hookName: "OnMessageSent", status: "Skipped" }])
    })
  )

  it.effect("is five hooks long at most", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const customerRepID = yield* representativeOf("acme-agent")
      const rows = [
        ...(yield* onHook("OnTicketClosed", { operation: "ReopenTicket" })),
        ...(yield* onHook("OnTicketReopened", { operation: "AssignRep", parameters: { customerRepID } })),
        ...(yield* onHook("OnAssigned", { operation: "Escalate", parameters: { email: "duty@acme.example" } })),
        ...(yield* onHook("OnEscalate", { operation: "MarkSpam" })),
        ...(yield* onHook("OnSpam", { operation: "SetCustomField", parameters: { key: "sixth", value: "hook" } }))
      ]
      yield* doneTo(messageID, { operation: "CloseTicket" })
      yield* nothingLeft
      yield* unmap(rows)
      expect(yield* readTicket(ticketID)).toMatchObject({ isSpam: true, customFieldsData: {} })
      const results = (yield* actionsOf(messageID)).filter(({ actionID }) =>
        rows.some((row) => row.actionID === actionID)
      )
      expect(results.filter(({ status }) => status === "Done").map(({ hookName }) => hookName)).toEqual([
        "OnTicketClosed",
        "OnTicketReopened",
        "OnAssigned",
        "OnEscalate"
      ])
      expect(results.find(({ hookName }) => hookName === "OnSpam")).toMatchObject({
        status: "Skipped",
        error: "The chain has reached the limit of 5 hooks."
      })
    })
  )

  it.effect("runs an action once even when another action fires two hooks that both have it", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quiet
      const { actions, topicActions } = yield* clientOf("acme-admin")
      const { actionID } = yield* actions.createAction({
        payload: {
          name: "Mark both",
          priority: 1,
          isActive: true,
          operation: "SetCustomField",
          parameters: { key: "both", value: "once" }
        }
      })
      const rows = yield* Effect.forEach(["OnTicketReopened", "OnEscalate"], (hookName) =>
        topicActions.createTopicAction({ payload: { hookName, actionID, priority: 500, isActive: true } })
      )
      yield* doneTo(messageID, { operation: "CloseTicket" })
      yield* doneTo(messageID, { operation: "SetStatus", parameters: { status: "Escalated" } })
      yield* nothingLeft
      yield* unmap(rows)
      const runs = (yield* actionsOf(messageID)).filter((action) => action.actionID === actionID)
      expect(statuses(runs).toSorted()).toEqual(["Done", "Skipped"])
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ both: "once" })
    })
  )
})
