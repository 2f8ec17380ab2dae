import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import {
  folderAt,
  folderOf,
  importAll,
  mailApp,
  messagesOf,
  newMailChannel,
  settled,
  subscribedChannel,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"

const plan = () => file("plan.pdf", "application/pdf", Buffer.from("%PDF-1.4 plan"))

/** How many requests were about the files of a mail. */
const fileRequests = (id: string) =>
  Effect.map(GraphServer, ({ state }) => state.seen.filter(({ path }) => path.includes(`${id}/attachments`)).length)

layer(mailApp(), { excludeTestServices: true })("The files of a mail", (it) => {
  it.effect("are not downloaded again with a copy of it in another folder", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      const original = mail({ subject: "With a plan", attachments: [plan()] })
      const { messages } = yield* server.arrive(address, original)
      yield* ticketsArrive(channelID, 1)
      yield* settled(channelID)
      const copy = mailbox.add("AAMk-sent", original.fields, [plan()])
      const other = mailbox.add("AAMk-sent", mail({ subject: "Another" }).fields, [plan()])
      const { folderID } = yield* folderAt(channelID, "Sent")
      yield* importAll(channelID)
      yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["With a plan", "Another"])
      expect(yield* Effect.forEach([...messages, other, copy], ({ id }) => fileRequests(id))).toEqual([2, 2, 0])
    })
  )

  it.effect("come with an answer that was read before its question and is fetched again", () =>
    Effect.gen(function* () {
      const { address, channelID, mailbox } = yield* newMailChannel()
      const headers = { "In-Reply-To": "<gate@home.example>" }
      mailbox.add("AAMk-sent", mail({ from: address, to: ["tenant@home.example"], headers }).fields, [plan()])
      yield* folderAt(channelID, "Sent")
      yield* importAll(channelID)
      yield* settled(channelID)
      mailbox.add("AAMk-inbox", mail({ subject: "Gate", messageId: "<gate@home.example>" }).fields)
      yield* folderAt(channelID, "Inbox")
      yield* importAll(channelID)
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const { ticketID } = yield* Effect.fromNullable(ticket)
      const messages = yield* eventually(messagesOf(ticketID), ({ length }) => length >= 2)
      yield* settled(channelID)
      expect(messages.map(({ hasAttachment, senderType }) => [senderType, hasAttachment])).toEqual([
        ["EndUser", false],
        ["CustomerRep", true]
      ])
    })
  )
})
