import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { ChannelFoldersRepo } from "../../src/channels/ChannelFoldersRepo.ts"
import { MailFoldersRepo } from "../../src/mail/MailFoldersRepo.ts"
import { eventually } from "../support/Eventually.ts"
import { mailApp, newMailChannel, roundIsOver, subscribedChannel } from "../support/MailApp.ts"
import { minutesLater } from "../support/MinutesLater.ts"

/** Runs with the clock of the process 26 hours ahead, but not the database's. */
const clockJumps = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 26 * 3600 * 1000 })),
    () => effect,
    () => Effect.sync(() => vi.useRealTimers())
  )

/** PostgreSQL only: the embedded database has no clock but that of the process. */
export const testDatabaseClock = () =>
  layer(mailApp(), { excludeTestServices: true })("A node whose clock is wrong", (it) => {
    it.effect("reads a new folder from now on, and notes when it was read, by the database's clock", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const channelFolders = yield* ChannelFoldersRepo
        const folders = yield* MailFoldersRepo
        const { address: mailbox, channelID, customerID } = yield* newMailChannel()
        const fields = { name: "Inbox", type: "Inbox", parentFolderID: null, externalFolderID: null }
        const { folderID } = yield* clockJumps(
          channelFolders.insert(customerID, channelID, { ...fields, autoRetrieveEmails: false })
        )
        const noted = sql`
        select delta_since between now() - interval '5 minutes' and now() as "isSince",
          last_sync_at between now() - interval '5 minutes' and now() as "isRead", last_error as error
        from channel_folder where customer_id = ${customerID} and channel_folder_id = ${folderID}`
        expect(yield* noted).toEqual([{ isSince: true, isRead: null, error: null }])

        yield* folders.save(customerID, folderID, { deltaSince: null, lastError: "before" })
        const step = { from: null, to: "https://graph.example/1", since: null, mailbox }
        expect(yield* folders.moveOn(customerID, folderID, { ...step, isLast: false })).toBe(true)
        expect(yield* noted).toEqual([{ isSince: null, isRead: null, error: "before" }])
        const last = { ...step, from: step.to, isLast: true }
        expect(yield* clockJumps(folders.moveOn(customerID, folderID, last))).toBe(true)
        expect(yield* noted).toEqual([{ isSince: null, isRead: true, error: null }])
      })
    )

    it.effect("renews subscriptions when they are due by the database's clock", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [early, due] = [yield* subscribedChannel, yield* subscribedChannel]
        const endsIn = (folderID: number, hours: number) => sql`
        update channel_folder set subscription_expires_at = now() + make_interval(hours => ${hours}::int)
        where customer_id = 1 and channel_folder_id = ${folderID}`
        yield* endsIn(early.folderID, 60)
        yield* endsIn(due.folderID, 40)
        const renewals = (folderID: number) => sql`
        select job_id from job
        where customer_id = 1 and kind = 'RenewSubscription' and payload ->> 'folderID' = ${String(folderID)}`
        const turn = sql`update periodic_work set next_at = now() where name = 'Mail subscription renewals'`
        yield* Effect.zipRight(turn, roundIsOver).pipe(minutesLater(26 * 60))
        yield* eventually(renewals(due.folderID), ({ length }) => length === 1)
        expect(yield* renewals(early.folderID)).toEqual([])
      })
    )
  })
