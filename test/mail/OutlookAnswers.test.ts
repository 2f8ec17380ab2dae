import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { type Cause, Effect } from "effect"
import type { ChannelID, TicketMessageID } from "../../schema/Ids.ts"
import { doneTo } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import {
  folderAt,
  importAll,
  mailApp,
  messagesOf,
  newMailChannel,
  settled,
  subscribedChannel,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { type MailParts, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 9, minute))

/** A channel whose sent mail has been read before anything that came in. */
const withSentMail = (sent: (address: string) => ReadonlyArray<MailParts>) =>
  Effect.gen(function* () {
    const channel = yield* newMailChannel()
    const { address, channelID, mailbox } = channel
    const written = sent(address).map((parts) => mailbox.add("AAMk-sent", mail({ from: address, ...parts }).fields))
    yield* folderAt(channelID, "Sent")
    yield* importAll(channelID)
    yield* settled(channelID)
    expect(yield* ticketsOf(channelID)).toEqual([])
    return { ...channel, written }
  })

const ticketAbout = (channelID: ChannelID, wanted: string) =>
  Effect.flatMap(ticketsOf(channelID), (all) => Effect.fromNullable(all.find(({ subject }) => subject === wanted)))

/** The texts of a ticket with their sender types, once there are so many. */
const conversation = (channelID: ChannelID, subject: string, count: number) =>
  Effect.flatMap(ticketAbout(channelID, subject), ({ ticketID }) =>
    Effect.map(
      eventually(messagesOf(ticketID), ({ length }) => length >= count),
      (messages) => messages.map(({ message, senderType }) => [senderType, message])
    )
  )

layer(mailApp(), { excludeTestServices: true })("An answer written in a mail program", (it) => {
  it.effect("joins its ticket, in order, even when it was read before the question", () =>
    Effect.gen(function* () {
      const tenant = { to: ["tenant@home.example"] }
      const tap = { "In-Reply-To": "<tap@home.example>" }
      const { channelID, mailbox } = yield* withSentMail(() => [
        // Refers to an answer that itself comes later.
        { ...tenant, text: "Third", received: at(30), headers: { "In-Reply-To": "<first@acme.example>" } },
        { ...tenant, text: "Second", received: at(20), headers: tap },
        { ...tenant, text: "First", received: at(10), headers: tap, messageId: "<first@acme.example>" },
        { ...tenant, text: "No reference", received: at(15), conversationId: "heating" },
        { ...tenant, text: "Before the question", received: at(1), conversationId: "heating" },
        { to: ["else@home.example"], text: "To somebody else", received: at(16), conversationId: "heating" },
        { ...tenant, text: "Out of the blue", received: at(17) }
      ])
      mailbox.add(
        "AAMk-inbox",
        mail({ subject: "Tap", text: "It leaks", messageId: "<tap@home.example>", received: at(5) }).fields
      )
      mailbox.add(
        "AAMk-inbox",
        mail({ subject: "Heating", text: "It is cold", conversationId: "heating", received: at(5) }).fields
      )
      yield* folderAt(channelID, "Inbox")
      yield* importAll(channelID)
      yield* ticketsArrive(channelID, 2)
      expect(yield* conversation(channelID, "Tap", 4)).toEqual([
        ["EndUser", "It leaks"],
        ["CustomerRep", "First"],
        ["CustomerRep", "Second"],
        ["CustomerRep", "Third"]
      ])
      const cold = [
        ["EndUser", "It is cold"],
        ["CustomerRep", "No reference"]
      ]
      expect(yield* conversation(channelID, "Heating", 2)).toEqual(cold)

      // However often it is imported, each comes once, and the rest still belongs to no question.
      yield* importAll(channelID)
      yield* settled(channelID)
      expect(yield* conversation(channelID, "Tap", 4)).toHaveLength(4)
      expect(yield* conversation(channelID, "Heating", 2)).toEqual(cold)
      expect(yield* ticketsOf(channelID)).toHaveLength(2)
    })
  )

  it.effect("joins its ticket even when both folders are read at the same time", () =>
    Effect.gen(function* () {
      const { address, channelID, mailbox } = yield* newMailChannel()
      const numbers = Array.from({ length: 12 }, (_, index) => index)
      for (const index of numbers) mailbox.add("AAMk-inbox", mail({ subject: `Other ${index}` }).fields)
      for (const index of numbers) {
        mailbox.add("AAMk-inbox", mail({ subject: `Question ${index}`, messageId: `<q${index}@home.example>` }).fields)
        const headers = { References: `<unknown@home.example> <q${index}@home.example>` }
        mailbox.add("AAMk-sent", mail({ from: address, to: ["tenant@home.example"], headers }).fields)
      }
      yield* folderAt(channelID, "Sent")
      yield* folderAt(channelID, "Inbox")
      yield* importAll(channelID)
      yield* ticketsArrive(channelID, 24)
      yield* Effect.forEach(numbers, (index) => conversation(channelID, `Question ${index}`, 2))
      yield* settled(channelID)
      expect(yield* ticketsOf(channelID)).toHaveLength(24)
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`
          select mail_message_id from mail_message
          where customer_id = 1 and channel_id = ${channelID} and ticket_message_id is null`
      ).toEqual([])
    })
  )

  it.effect("is not lost when the job that fetches it again is given up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, mailbox, written } = yield* withSentMail(() => [
        { to: ["tenant@home.example"], headers: { "In-Reply-To": "<door@home.example>" } }
      ])
      mailbox.add("AAMk-inbox", mail({ subject: "Door", messageId: "<door@home.example>" }).fields)
      const { folderID } = yield* folderAt(channelID, "Inbox")
      yield* importAll(channelID)
      yield* ticketsArrive(channelID, 1)
      yield* conversation(channelID, "Door", 2)
      yield* settled(channelID)
      const answer = yield* Effect.fromNullable(written[0])
      // The state that it is in until it has been fetched again.
      const due = sql`
        update mail_message set ticket_message_id = null, waits_for = '{<door@home.example>}', is_due = true
        where customer_id = 1 and channel_id = ${channelID} and external_id = ${answer.id}`
      yield* due
      yield* sql`
        insert into job (customer_id, kind, payload, attempts)
        values (1, 'ImportMessages', ${JSON.stringify({ folderID, messageIDs: [answer.id] })}::jsonb, 10)`
      yield* conversation(channelID, "Door", 3)
      yield* settled(channelID)
      yield* due
      yield* importAll(channelID)
      yield* conversation(channelID, "Door", 4)
      yield* settled(channelID)
      // The job that was to fetch it is gone.
      yield* due
      yield* sql`
        update mail_message set called_at = now() - interval '31 minutes' where customer_id = 1 and is_due`
      yield* sql`update periodic_work set next_at = now() where name = 'Set-aside mail'`
      yield* conversation(channelID, "Door", 5)
    })
  )

  it.effect("is ignored when it is a copy of one that left from here", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      yield* server.arrive(address, mail({ subject: "Window", messageId: "<window@home.example>" }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      const [question] = yield* messagesOf(ticketID)
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.sendReply({
        path: { id: yield* Effect.fromNullable(question?.messageID) },
        payload: { modifiedAnswer: "We come." }
      })
      const sent = Effect.sync(() => [...mailbox.messages.values()].find(({ folderID }) => folderID === "AAMk-sent"))
      const answer = yield* eventually(sent, (found) => found !== undefined)
      const copy = {
        from: address,
        to: ["tenant@home.example"],
        cc: [address],
        messageId: String(answer?.fields["internetMessageId"]),
        headers: { "In-Reply-To": "<window@home.example>" }
      }
      yield* server.arrive(address, mail({ ...copy, text: "We come." }), mail({ subject: "Last" }))
      yield* ticketsArrive(channelID, 2)
      yield* settled(channelID)
      expect((yield* messagesOf(ticketID)).map(({ senderType }) => senderType)).toEqual(["EndUser", "CustomerRep"])
    })
  )

  it.effect("keeps actions from sending a prepared answer on top of it", () =>
    Effect.gen(function* () {
      const { address, channelID } = yield* subscribedChannel
      const server = yield* GraphServer
      const arrive = (parts: MailParts) => server.arrive(address, mail(parts))
      yield* arrive({ subject: "Key", text: "I lost my key", messageId: "<key@home.example>" })
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      const [question] = yield* messagesOf(ticketID)
      const { messageID } = yield* Effect.fromNullable(question)
      expect(yield* doneTo(messageID, { operation: "DraftReply" })).toMatchObject([{ status: "Done" }])
      yield* arrive({
        from: address,
        to: ["tenant@home.example"],
        text: "It is at the desk",
        headers: { "In-Reply-To": "<key@home.example>" }
      })
      expect(yield* conversation(channelID, "Key", 2)).toHaveLength(2)
      expect(yield* doneTo(messageID, { operation: "SendReply" })).toMatchObject([
        { status: "Failed", error: "This message has already been answered." }
      ])
      expect(yield* conversation(channelID, "Key", 2)).toHaveLength(2)
    })
  )

  it.effect("answers what came before it by its date, in whichever order the mails are read", () =>
    Effect.gen(function* () {
      const { address, channelID } = yield* subscribedChannel
      const server = yield* GraphServer
      /** Each mail is read before the next one arrives. Returns the messages' ids by their texts. */
      const arriveInTurn = (subject: string, mails: ReadonlyArray<MailParts>) =>
        Effect.gen(function* () {
          for (const [index, parts] of mails.entries()) {
            yield* server.arrive(address, mail({ subject, ...parts }))
            yield* eventually(ticketsOf(channelID), (all) => all.some((ticket) => ticket.subject === subject))
            yield* conversation(channelID, subject, index + 1)
          }
          const { ticketID } = yield* ticketAbout(channelID, subject)
          const ids = new Map((yield* messagesOf(ticketID)).map(({ message, messageID }) => [message, messageID]))
          return (text: string) => Effect.fromNullable(ids.get(text))
        })
      const byPerson = { from: address, to: ["tenant@home.example"] }
      const sendReply = (question: Effect.Effect<TicketMessageID, Cause.NoSuchElementException>) =>
        Effect.gen(function* () {
          const id = yield* question
          expect(yield* doneTo(id, { operation: "DraftReply" })).toMatchObject([{ status: "Done" }])
          return yield* doneTo(id, { operation: "SendReply" })
        })
      const refused = [{ status: "Failed", error: "This message has already been answered." }]

      const aboutBell = yield* arriveInTurn("Bell", [
        { text: "It is mute", messageId: "<bell-1@home.example>", received: at(0) },
        {
          ...byPerson,
          text: "At eight, then",
          headers: { References: "<bell-1@home.example> <bell-2@home.example>" },
          received: at(20)
        },
        {
          text: "When do you come?",
          messageId: "<bell-2@home.example>",
          headers: { "In-Reply-To": "<bell-1@home.example>" },
          received: at(10)
        }
      ])
      expect(yield* sendReply(aboutBell("When do you come?"))).toMatchObject(refused)

      const bin = { "In-Reply-To": "<bin-1@home.example>" }
      const aboutBin = yield* arriveInTurn("Bin", [
        { text: "It is full", messageId: "<bin-1@home.example>", received: at(0) },
        { text: "And the other one?", headers: bin, received: at(20) },
        { ...byPerson, text: "We empty it", headers: bin, received: at(10) }
      ])
      expect(yield* sendReply(aboutBin("It is full"))).toMatchObject(refused)
      expect(yield* sendReply(aboutBin("And the other one?"))).toMatchObject([{ status: "Done" }])
    })
  )
})
