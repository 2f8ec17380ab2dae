import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import type { ChannelFolderID } from "../../schema/Ids.ts"
import { LongestFetch } from "../../src/mail/MailImport.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import {
  folderAt,
  folderOf,
  importAll,
  mailApp,
  newMailChannel,
  settled,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** Waits until a folder's job of a kind has failed, and puts off its next attempt. */
const failedOnce = (kind: string, folderID: ChannelFolderID) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    eventually(
      sql`
        update job set due_at = now() + interval '1 hour'
        where customer_id = 1 and kind = ${kind} and status = 'Queued' and error is not null
          and payload ->> 'folderID' = ${String(folderID)}
        returning attempts`,
      ({ length }) => length === 1,
      "60 seconds"
    )
  )

const app = mailApp().pipe(Layer.provide(Layer.succeed(LongestFetch, Duration.seconds(3))))

layer(app, { excludeTestServices: true })("A page of a folder", (it) => {
  it.effect("gives slow mails jobs of their own while it is being read, in case its end is never reached", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      mailbox.add("AAMk-inbox", mail({ subject: "Quick" }).fields)
      // As many in a row as make the first attempt end early.
      for (let index = 1; index <= 9; index += 1) {
        const stuck = { ...file("stuck.txt", "text/plain", Buffer.from("x")), id: `stuck-${index}` }
        mailbox.add("AAMk-inbox", mail({ subject: `Slow ${index}` }).fields, [stuck])
      }
      yield* server.set({ failPath: "/attachments/stuck-" })
      yield* importAll(channelID)
      expect(yield* failedOnce("ImportFolder", folderID)).toEqual([{ attempts: 1 }])
      const folder = yield* folderOf(folderID)
      expect(folder).toMatchObject({ lastSyncUtc: null, lastError: "The mail could not be fetched within 3s" })
      expect(folder.failedMessages).toBeGreaterThan(0)

      yield* server.set()
      yield* hurry("ImportFolder")
      const all = Effect.zipRight(hurry("ImportMessage"), ticketsOf(channelID))
      yield* eventually(all, ({ length }) => length === 10)
      yield* settled(channelID)
    })
  )

  it.effect("does not fetch mails that have jobs of their own", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      const { folderID } = yield* folderAt(channelID, "Inbox")
      const { fields } = mail({ subject: "Bad" })
      const bad = mailbox.add("AAMk-inbox", { ...fields, receivedDateTime: "yesterday" })
      mailbox.add("AAMk-inbox", mail({ subject: "Good" }).fields)
      yield* importAll(channelID)
      yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      yield* failedOnce("ImportMessage", folderID)
      const fetches = () => server.state.seen.filter(({ path }) => path.includes(bad.id)).length
      const before = fetches()

      const { jobs } = yield* importAll(channelID)
      const path = { id: yield* Effect.fromNullable(jobs[0]?.jobID) }
      const { jobs: progress } = yield* clientOf("acme-admin")
      const read = yield* eventually(progress.getJob({ path }), ({ status }) => status === "Succeeded")
      expect(read).toMatchObject({ total: 2, done: 2, imported: 0, skipped: 2, failed: 0 })
      expect(fetches()).toBe(before)

      bad.fields = fields
      yield* hurry("ImportMessage")
      expect((yield* ticketsArrive(channelID, 2)).map(({ subject }) => subject)).toEqual(["Good", "Bad"])
    })
  )
})
