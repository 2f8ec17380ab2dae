import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { folderKey, importFolder, renewSubscription } from "../../src/mail/MailJobs.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { folderOf, mailApp, newMailChannel, subscribedTo, subscriptionsOf, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres, waitingForMe } from "../support/TestDatabase.ts"

const acme = CustomerID.make(1)

/** Two channels of one mailbox; the provider is just being asked for a new subscription of the second one. */
const renewing = Effect.gen(function* () {
  const server = yield* GraphServer
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* Jobs
  const first = yield* subscribedTo()
  const second = yield* subscribedTo("acme-admin", first.address)
  const before = yield* subscriptionsOf(first.address)
  const asked = Effect.sync(() => server.state.seen.filter(({ path }) => path.endsWith("/subscriptions")))
  const { length } = yield* asked
  yield* server.set({ holdPath: "/subscriptions" })
  const renewal = { folderID: second.folderID, reason: "Removed" } as const
  const jobID = yield* jobs.enqueue(renewSubscription, acme, renewal)
  yield* eventually(
    Effect.sync(() => server.state.hasHeld),
    (hasHeld) => hasHeld
  )
  const status = sql<{ status: string }>`
    select status from job where customer_id = ${acme} and job_id = ${jobID}::uuid`
  const goOn = Effect.zipRight(
    server.set(),
    eventually(status, ([job]) => job?.status === "Succeeded")
  )
  /** The second channel found the subscription of the first one and left it alone. */
  const leavesItAlone = Effect.gen(function* () {
    const requests = (yield* asked).slice(length)
    expect(requests.map(({ method, status }) => [method, status])).toEqual([
      ["POST", 409],
      ["GET", 200]
    ])
    expect((yield* folderOf(second.folderID)).subscriptionID).toBeNull()
    expect((yield* folderOf(first.folderID)).subscriptionID).toBe(before[0]?.id)
    expect(yield* subscriptionsOf(first.address)).toEqual(before)
  })
  return { second, goOn, leavesItAlone }
})

layer(mailApp(), { excludeTestServices: true })("While a mailbox is being subscribed to", (it) => {
  it.effect("a channel that has unsubscribed does not take over the subscription of others", () =>
    Effect.gen(function* () {
      const { mailWebhook } = yield* clientOf("acme-admin")
      const { goOn, leavesItAlone, second } = yield* renewing
      yield* mailWebhook.unsubscribeMail({ path: { id: second.channelID } })
      yield* goOn
      yield* leavesItAlone
    })
  )

  it.effect("a folder that has become another one does not take over the subscription of the one that it was", () =>
    Effect.gen(function* () {
      const { channelFolders } = yield* clientOf("acme-admin")
      const { goOn, leavesItAlone, second } = yield* renewing
      const payload = { externalFolderID: "AAMk-sent", type: "Custom" }
      yield* channelFolders.updateChannelFolder({ path: { id: second.folderID }, payload })
      yield* goOn
      yield* leavesItAlone
    })
  )

  it.effect("nothing is left behind when it cannot be switched on in the end", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { address, channelID } = yield* newMailChannel()
      const token = yield* tokenOf("acme-admin")
      const subscribe = sendJson("POST", `/api/MailWebhook/subscribe/${channelID}`, { token })
      yield* sql`
        alter table channel add constraint test_refusal
        check (channel_id <> ${sql.literal(String(channelID))} or not auto_retrieve_emails)`
      expect((yield* subscribe).status).toBe(500)
      yield* sql`alter table channel drop constraint test_refusal`
      yield* eventually(subscriptionsOf(address), (left) => left.length === 0)
      const { channelFolders } = yield* clientOf("acme-admin")
      const folders = yield* channelFolders.listChannelFolders({ path: { id: channelID } })
      expect(folders).toMatchObject([{ subscriptionID: null, autoRetrieveEmails: false }])
      expect((yield* subscribe).status).toBe(200)
      expect(yield* subscriptionsOf(address)).toHaveLength(1)
    })
  )

  it.effect("a subscription that is removed just before it is switched on is created again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { address, channelID } = yield* newMailChannel()
      const { mailWebhook } = yield* clientOf("acme-admin")
      yield* sql.unsafe(`
        create function test_end() returns trigger language plpgsql as $$ begin
          update channel_folder set subscription_id = null, client_state = null where channel_id = new.channel_id;
          return new;
        end $$;
        create trigger test_end before update of auto_retrieve_emails on channel
          for each row when (new.channel_id = ${channelID}) execute function test_end()`)
      const { folders } = yield* mailWebhook.subscribeMail({ path: { id: channelID } })
      yield* sql.unsafe("drop trigger test_end on channel; drop function test_end")
      const { folderID } = yield* Effect.fromNullable(folders[0])
      const held = yield* eventually(folderOf(folderID), ({ subscriptionID }) => subscriptionID !== null)
      yield* eventually(subscriptionsOf(address), (all) => all.length === 1 && all[0]?.id === held.subscriptionID)
    })
  )

  it.effect("an import that is asked for at that moment still runs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* Jobs
      const { channelID, mailbox } = yield* newMailChannel()
      mailbox.add("AAMk-inbox", mail({ subject: "Old", received: new Date("2024-05-01") }).fields)
      const { channelFolders, mailWebhook } = yield* clientOf("acme-admin")
      const { folderID } = yield* channelFolders.createChannelFolder({
        payload: { channelID, name: "Inbox", type: "Inbox" }
      })
      const subscribe = mailWebhook.subscribeMail({ path: { id: channelID } })
      const subscribing = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`
            update channel_folder set delta_link = null, delta_since = null
            where customer_id = ${acme} and channel_folder_id = ${folderID}`
          const subscribing = yield* Effect.fork(subscribe)
          // The embedded database has no second connection meanwhile.
          if (onPostgres) yield* eventually(waitingForMe, (waiting) => waiting > 0)
          yield* jobs.enqueue(importFolder, acme, { folderID }, folderKey(folderID))
          return subscribing
        })
      )
      yield* Fiber.join(subscribing)
      expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["Old"])
    })
  )
})
