import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import type { ChannelFolderID, ChannelID } from "../../schema/Ids.ts"
import { LargestMailFile } from "../../src/mail/MailFiles.ts"
import { LongestFetch } from "../../src/mail/MailImport.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
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
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { clientOf } from "../support/TestApp.ts"

const mebibyte = 1024 * 1024

const app = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (DATA_DIR) =>
    mailApp({ BLOB_STORE: "folder", DATA_DIR }).pipe(Layer.provide(Layer.succeed(LargestMailFile, mebibyte)))
  )
)

/** Lets the attempts follow each other without pauses. */
const hurry = (kind: string, folderID: ChannelFolderID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update job set due_at = now() where customer_id = 1 and kind = ${kind} and status = 'Queued'
        and payload ->> 'folderID' = ${String(folderID)}`
  )

const subjectsOf = (channelID: ChannelID) =>
  Effect.map(ticketsOf(channelID), (tickets) => tickets.map(({ subject }) => subject))

layer(app, { excludeTestServices: true })("A mail that cannot be fetched", (it) => {
  it.effect("gets a job of its own, and the others of its page are imported at once", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      const [bad] = ["Bad", "Good", "Better"].map((subject) => mailbox.add("AAMk-inbox", mail({ subject }).fields))
      yield* server.set({ failPath: (yield* Effect.fromNullable(bad)).id })
      yield* importAll(channelID)
      yield* ticketsArrive(channelID, 2)
      const folder = yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 1)
      expect(folder.lastError).toContain("500")
      yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect(yield* subjectsOf(channelID)).toEqual(["Good", "Better"])

      yield* server.set()
      const all = Effect.zipRight(hurry("ImportMessage", folderID), subjectsOf(channelID))
      expect(yield* eventually(all, ({ length }) => length === 3)).toEqual(["Good", "Better", "Bad"])
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )

  it.effect("gets a job of its own after a while, even when no other mail shows that fetching works", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      const attachment = file("broken.txt", "text/plain", Buffer.from("x"))
      mailbox.add("AAMk-inbox", mail({ subject: "Bad file" }).fields, [attachment])
      yield* server.set({ failPath: attachment.id })
      yield* importAll(channelID)
      const folder = Effect.zipRight(hurry("ImportFolder", folderID), folderOf(folderID))
      yield* eventually(folder, ({ failedMessages, lastSyncUtc }) => failedMessages === 1 && lastSyncUtc !== null)
      expect(server.state.seen.filter(({ path }) => path.includes(attachment.id)).length).toBeGreaterThan(10)
      mailbox.add("AAMk-inbox", mail({ subject: "Good" }).fields)
      yield* importAll(channelID)
      yield* ticketsArrive(channelID, 1)
      expect(yield* subjectsOf(channelID)).toEqual(["Good"])
      yield* server.set()
      const all = Effect.zipRight(hurry("ImportMessage", folderID), subjectsOf(channelID))
      expect(yield* eventually(all, ({ length }) => length === 2)).toEqual(["Good", "Bad file"])
    })
  )

  it.effect("is not blamed while no mail can be fetched", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      for (let index = 0; index < 20; index += 1) mailbox.add("AAMk-inbox", mail({ subject: `${index}` }).fields)
      yield* server.set({ failPath: "/messages/AAkALgAA" })
      yield* importAll(channelID)
      const failing = yield* eventually(folderOf(folderID), ({ lastError }) => lastError !== null)
      expect(failing.failedMessages).toBe(0)
      yield* server.set()
      const all = Effect.zipRight(hurry("ImportFolder", folderID), subjectsOf(channelID))
      yield* eventually(all, ({ length }) => length === 20)
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
    })
  )
})

const impatientApp = Layer.provide(app, Layer.succeed(LongestFetch, Duration.seconds(3)))

layer(impatientApp, { excludeTestServices: true })("A mail whose files cause trouble", (it) => {
  it.effect("gets a job of its own when a file arrives byte by byte, and the mails after it are imported", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      const endless = file("endless.txt", "text/plain", Buffer.from("x"))
      mailbox.add("AAMk-inbox", mail({ subject: "Slow" }).fields, [endless])
      mailbox.add("AAMk-inbox", mail({ subject: "Behind it" }).fields)
      yield* server.set({ dripPath: endless.id })
      yield* importAll(channelID)
      const folder = yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null, "20 seconds")
      expect(folder).toMatchObject({ failedMessages: 1, lastError: "The mail could not be fetched within 3s" })
      expect(yield* subjectsOf(channelID)).toEqual(["Behind it"])
      yield* server.set()
      yield* ticketsArrive(channelID, 2)
      expect(yield* subjectsOf(channelID)).toEqual(["Behind it", "Slow"])
    })
  )

  it.effect("is not blamed when the provider is slow with all of them", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      for (let index = 0; index < 12; index += 1) mailbox.add("AAMk-inbox", mail({ subject: `${index}` }).fields)
      yield* server.set({ latency: 4000 })
      yield* importAll(channelID)
      const failing = yield* eventually(folderOf(folderID), ({ lastError }) => lastError !== null, "60 seconds")
      expect(failing).toMatchObject({ failedMessages: 0, lastError: "The mail could not be fetched within 3s" })
      yield* server.set()
      const all = Effect.zipRight(hurry("ImportFolder", folderID), subjectsOf(channelID))
      yield* eventually(all, ({ length }) => length === 12)
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
    })
  )

  it.effect("is set aside without its source when that arrives byte by byte", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const { id } = mailbox.add("AAMk-inbox", mail({ subject: "Slow" }).fields)
      yield* server.set({ dripPath: `${id}/$value` })
      yield* sql`
        insert into job (customer_id, kind, payload, attempts)
        values (1, 'ImportMessage', ${JSON.stringify({ folderID, messageID: id })}::jsonb, 10)`
      const aside = sql`
        select blob_id as source from failed_mail
        where customer_id = 1 and channel_folder_id = ${folderID} and set_aside_at is not null`
      yield* eventually(aside, ({ length }) => length === 1, "20 seconds")
      expect(yield* aside).toEqual([{ source: null }])
      yield* server.set()
      yield* settled(channelID)
    })
  )

  it.effect("is imported without files that are too large, and says so", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const large = file("film.mp4", "video/mp4", Buffer.alloc(2 * mebibyte))
      const larger = { ...file("raw.bin", "application/octet-stream", Buffer.alloc(2 * mebibyte)), size: 10 }
      const small = file("note.txt", "text/plain", Buffer.from("small"))
      yield* server.arrive(address, mail({ text: "See the films.", attachments: [large, small, larger] }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const [message] = yield* messagesOf(yield* Effect.fromNullable(ticket?.ticketID))
      expect(message?.message).toBe(
        [
          "See the films.",
          "film.mp4: larger than 1 MiB, available only in the mailbox",
          "raw.bin: larger than 1 MiB, available only in the mailbox"
        ].join("\n\n")
      )
      const { ticketMessageAttachments } = yield* clientOf("acme-admin")
      const path = { id: yield* Effect.fromNullable(message?.messageID) }
      const attachments = yield* ticketMessageAttachments.listAttachments({ path })
      expect(attachments.map(({ fileName }) => fileName)).toEqual(["note.txt"])
      const fetches = ({ id }: { readonly id: string }) =>
        server.state.seen.filter((request) => request.path.includes(id)).length
      expect([large, small, larger].map(fetches)).toEqual([0, 1, 1])
    })
  )

  it.effect("is set aside while its files cannot be stored, and imported by itself once they can", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { customerID, address, channelID, folderID } = yield* subscribedChannel
      const { dataDir } = yield* Settings
      // Where the folder of the customer's files should be.
      const place = join(dataDir, "files", String(customerID))
      yield* Effect.promise(async () => {
        await rm(place, { recursive: true, force: true })
        await mkdir(dirname(place), { recursive: true })
        await writeFile(place, "in the way")
      })
      const attachments = [file("note.txt", "text/plain", Buffer.from("small"))]
      yield* server.arrive(address, mail({ subject: "With a file", attachments }))
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 1)
      // Makes the next attempt the last one, and due now.
      const hurryToTheLast = sql`
        update job set attempts = 9, due_at = now() where customer_id = 1 and kind = 'ImportMessage'
          and status = 'Queued' and payload ->> 'folderID' = ${String(folderID)}`
      const aside = sql`
        select failed_mail_id from failed_mail
        where customer_id = 1 and channel_folder_id = ${folderID} and set_aside_at is not null`
      yield* eventually(Effect.zipRight(hurryToTheLast, aside), ({ length }) => length === 1)
      yield* settled(channelID)

      yield* Effect.promise(() => rm(place))
      yield* sql`
        update failed_mail set set_aside_at = now() - interval '31 minutes'
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* sql`update periodic_work set next_at = now() where name = 'Set-aside mail'`
      expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["With a file"])
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )
})
