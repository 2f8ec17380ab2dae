import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ChannelID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import {
  folderAt,
  importAll,
  mailApp,
  messagesOf,
  newMailChannel,
  settled,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { erased, rowsWith, secondLookLater } from "./RightsTools.ts"

const app = mailApp().pipe(Layer.provide(secondLookLater))

const personOf = (channelID: ChannelID) =>
  Effect.flatMap(ticketsArrive(channelID, 1), ([ticket]) => Effect.fromNullable(ticket?.endUserID))

const readAgain = (channelID: ChannelID) => Effect.zipRight(importAll(channelID), settled(channelID))

/** A channel with an inbox and a folder of sent mail. */
const twoFolders = Effect.gen(function* () {
  const channel = yield* newMailChannel()
  const inbox = yield* folderAt(channel.channelID, "Inbox")
  yield* folderAt(channel.channelID, "Sent Items")
  return { ...channel, folderID: inbox.folderID }
})

layer(app, { excludeTestServices: true })("A copy of a mail of an end user who was erased", (it) => {
  it.effect("does not bring the mail back, whether the copy was there before or comes later", () =>
    Effect.gen(function* () {
      const { channelID, mailbox } = yield* twoFolders
      const { fields } = mail({ from: "copia@people.example", messageId: "<copied@people.example>" })
      for (const folder of ["AAMk-inbox", "AAMk-sent"]) mailbox.add(folder, fields)
      yield* readAgain(channelID)
      const endUserID = yield* personOf(channelID)
      expect((yield* erased(endUserID)).Status).toBe("Succeeded")

      yield* readAgain(channelID)
      expect((yield* ticketsOf(channelID)).map(({ endUserID: person }) => person)).toEqual([null])
      expect(yield* rowsWith("copia@people")).toEqual({})

      mailbox.add("AAMk-inbox", fields)
      yield* readAgain(channelID)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual([null])
      expect(yield* rowsWith("copia@people")).toEqual({})
    })
  )

  it.effect("is recognised also when it is the copy of an answer", () =>
    Effect.gen(function* () {
      const { address, channelID, mailbox } = yield* twoFolders
      const { ticketMessages } = yield* clientOf("acme-admin")
      const from = "risposta@people.example"
      mailbox.add("AAMk-inbox", mail({ from }).fields)
      yield* readAgain(channelID)
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const [question] = yield* messagesOf(yield* Effect.fromNullable(ticket?.ticketID))
      const path = { id: yield* Effect.fromNullable(question?.messageID) }
      yield* ticketMessages.sendReply({ path, payload: { modifiedAnswer: "We come." } })
      const sent = Effect.sync(() => [...mailbox.messages.values()].find(({ folderID }) => folderID === "AAMk-sent"))
      const answer = yield* eventually(sent, (found) => found !== undefined)
      yield* erased(yield* personOf(channelID))

      const messageId = String(answer?.fields["internetMessageId"])
      mailbox.add("AAMk-sent", mail({ from: address, to: [from], messageId }).fields)
      yield* readAgain(channelID)
      expect(yield* rowsWith("risposta@people")).toEqual({})
    })
  )

  it.effect("can be erased again after an older version has brought the mail back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, mailbox } = yield* twoFolders
      mailbox.add("AAMk-inbox", mail({ from: "bis@people.example", messageId: "<twice@people.example>" }).fields)
      yield* readAgain(channelID)
      // The row that the first erasure left.
      yield* sql`
        insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash)
        select customer_id, channel_id, 'first', 'sha256:' || encode(sha256('<twice@people.example>'), 'hex'), content_hash
        from mail_message where customer_id = 1 and channel_id = ${channelID}`
      expect((yield* erased(yield* personOf(channelID))).Status).toBe("Succeeded")
      expect(yield* rowsWith("twice@people")).toEqual({})
    })
  )
})

layer(app, { excludeTestServices: true })("A mail of an end user who was erased", (it) => {
  it.effect("is no longer fetched, even if a fetch was due before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, mailbox } = yield* twoFolders
      mailbox.add("AAMk-inbox", mail({ from: "dovuta@people.example" }).fields)
      yield* readAgain(channelID)
      const endUserID = yield* personOf(channelID)
      yield* sql`
        update mail_message set is_due = true, called_at = now() where customer_id = 1 and channel_id = ${channelID}`
      yield* erased(endUserID)
      const due = yield* sql`
        select 1 from mail_message where customer_id = 1 and channel_id = ${channelID} and is_due`
      expect(due).toEqual([])
    })
  )
})
