import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelFolderID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { folderAt, folderOf, importAll, mailApp, newMailChannel, settled, ticketsOf } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** An inbox that is just being looked up, because it is to be imported. */
const lookedUp = Effect.gen(function* () {
  const server = yield* GraphServer
  const { address, channelID, mailbox } = yield* newMailChannel()
  mailbox.add("AAMk-inbox", mail({ subject: "In the inbox" }).fields)
  const { folderID } = yield* folderAt(channelID, "Inbox")
  yield* server.set({ holdPath: `/users/${encodeURIComponent(address)}/mailFolders/inbox` })
  yield* importAll(channelID)
  yield* eventually(
    Effect.sync(() => mailbox.atOnce),
    (requests) => requests > 0
  )
  return { address, channelID, folderID, goOn: Effect.zipRight(server.set(), settled(channelID)) }
})

/** The failed attempts of an import, and what its folder says about it. */
const troubleOf = (folderID: ChannelFolderID) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jobs = yield* sql`
      select status, attempts, error from job
      where customer_id = 1 and kind = 'ImportFolder' and payload ->> 'folderID' = ${String(folderID)}`
    return { jobs, lastError: (yield* folderOf(folderID)).lastError }
  })

const none = { jobs: [{ status: "Succeeded", attempts: 1, error: null }], lastError: null }

layer(mailApp(), { excludeTestServices: true })("A folder that is being looked up", (it) => {
  it.effect("keeps the id that somebody gives it meanwhile", () =>
    Effect.gen(function* () {
      const { channelFolders } = yield* clientOf("acme-admin")
      const { channelID, folderID, goOn } = yield* lookedUp
      const payload = { externalFolderID: "AAMk-sent", type: "Custom" }
      yield* channelFolders.updateChannelFolder({ path: { id: folderID }, payload })
      yield* goOn
      expect(yield* folderOf(folderID)).toMatchObject(payload)
      expect(yield* ticketsOf(channelID)).toEqual([])
      expect(yield* troubleOf(folderID)).toEqual(none)
    })
  )

  it.effect.each([{ type: "Sent" }, { name: "Sent Items", type: "Custom" }])(
    "is looked up again if it becomes another one meanwhile: %j",
    (payload) =>
      Effect.gen(function* () {
        const { channelFolders } = yield* clientOf("acme-admin")
        const { channelID, folderID, goOn } = yield* lookedUp
        yield* channelFolders.updateChannelFolder({ path: { id: folderID }, payload })
        yield* goOn
        expect((yield* folderOf(folderID)).externalFolderID).toBe("AAMk-sent")
        expect(yield* ticketsOf(channelID)).toEqual([])
        expect(yield* troubleOf(folderID)).toEqual(none)
      })
  )

  it.effect("is looked up again in the mailbox that its channel gets meanwhile", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channels } = yield* clientOf("acme-admin")
      const { address, channelID, folderID, goOn } = yield* lookedUp
      const emailAddress = `new-${address}`
      const mailbox = server.mailbox(emailAddress)
      mailbox.restore()
      yield* channels.updateChannel({ path: { id: channelID }, payload: { emailAddress } })
      yield* goOn
      expect((yield* folderOf(folderID)).externalFolderID).toBe(mailbox.folder("inbox")?.id)
      expect(yield* ticketsOf(channelID)).toEqual([])
      expect(yield* troubleOf(folderID)).toEqual(none)
    })
  )

  it.effect("is read from the beginning in the mailbox that its channel gets while it is being read", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channels } = yield* clientOf("acme-admin")
      const { address, channelID, mailbox } = yield* newMailChannel()
      mailbox.add("AAMk-inbox", mail({ subject: "In the old mailbox" }).fields)
      // Some mailboxes have their folders under the same ids.
      yield* clientOf("acme-admin").pipe(
        Effect.flatMap(({ channelFolders }) =>
          channelFolders.createChannelFolder({
            payload: { channelID, name: "Inbox", type: "Inbox", externalFolderID: "AAMk-inbox" }
          })
        )
      )
      yield* server.set({ holdPath: `/users/${encodeURIComponent(address)}/mailFolders/AAMk-inbox/messages/delta` })
      yield* importAll(channelID)
      yield* eventually(
        Effect.sync(() => mailbox.atOnce),
        (requests) => requests > 0
      )
      const emailAddress = `new-${address}`
      server.mailbox(emailAddress).add("AAMk-inbox", mail({ subject: "In the new mailbox" }).fields)
      yield* channels.updateChannel({ path: { id: channelID }, payload: { emailAddress } })
      yield* importAll(channelID)
      yield* Effect.zipRight(server.set(), settled(channelID))
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toContain("In the new mailbox")
    })
  )

  it.effect("may be looked up by others at the same time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, folderID, goOn } = yield* lookedUp
      yield* sql`
        update channel_folder set external_folder_id = 'AAMk-inbox', is_located_by_type = true
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* goOn
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["In the inbox"])
      expect(yield* troubleOf(folderID)).toEqual(none)
    })
  )
})
