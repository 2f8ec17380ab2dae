import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { folderKey, importFolder } from "../../src/mail/MailJobs.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import {
  folderOf,
  mailApp,
  newMailChannel,
  settled,
  subscribedChannel,
  subscribedTo,
  subscriptionsOf,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres, waitingForMe } from "../support/TestDatabase.ts"

/** Notifies about something new in two mailboxes at once. */
const tellOfBoth = (...addresses: readonly [string, string]) =>
  Effect.gen(function* () {
    const subscriptions = yield* Effect.forEach(addresses, subscriptionsOf)
    const value = subscriptions
      .flat()
      .map(({ clientState, id, resource }) => ({ subscriptionId: id, clientState, resource, changeType: "created" }))
    return yield* sendJson("POST", "/api/MailWebhook", { body: { value } })
  })

/** Makes the periodic work due. */
const comesRound = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update periodic_work set next_at = now() where name = ${name}`)

layer(mailApp(), { excludeTestServices: true })("Mail work that overlaps", (it) => {
  it.effect("a resource with a NUL in it is ignored, and those beside it are processed", () =>
    Effect.gen(function* () {
      const { address, folderID } = yield* subscribedChannel
      const [subscription] = yield* subscriptionsOf(address)
      const entry = { subscriptionId: subscription?.id, clientState: subscription?.clientState, changeType: "created" }
      for (const resource of ["/users/a%00b/mailFolders('x')/messages", "/users/a/mailFolders('x%00')/messages"]) {
        const body = {
          value: [
            { changeType: "created", resource },
            { ...entry, resource: subscription?.resource }
          ]
        }
        expect((yield* sendJson("POST", "/api/MailWebhook", { body })).status).toBe(200)
      }
      expect((yield* folderOf(folderID)).lastNotificationUtc).not.toBeNull()
    })
  )

  it.effect("a channel whose shared subscription vanishes while it joins gets its own", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const first = yield* subscribedTo()
      const second = yield* newMailChannel("acme-admin", first.address)
      const { mailWebhook } = yield* clientOf("acme-admin")
      yield* server.set({ forgetSubscriptions: true })
      const { folders } = yield* mailWebhook.subscribeMail({ path: { id: second.channelID } })
      yield* server.set()
      const [only] = yield* subscriptionsOf(first.address)
      expect(folders).toMatchObject([{ subscriptionID: only?.id }])
      yield* server.set({ forge: true })
      yield* server.arrive(first.address, mail({ subject: "Forged" }))
      const { folderID } = yield* Effect.fromNullable(folders[0])
      expect((yield* folderOf(folderID)).lastNotificationUtc).toBeNull()
      yield* server.set()
      yield* server.arrive(first.address, mail({ subject: "Told" }))
      expect((yield* folderOf(folderID)).lastNotificationUtc).not.toBeNull()
    })
  )

  it.effect("an import that was asked for goes on when the channel is subscribed to meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { channelID, mailbox } = yield* newMailChannel()
      Arr.makeBy(3, (index) =>
        mailbox.add("AAMk-inbox", mail({ subject: `Old ${index}`, received: new Date("2024-05-01") }).fields)
      )
      const { channels, mailWebhook } = yield* clientOf("acme-admin")
      yield* server.set({ fail: { requests: 1000, status: 400 } })
      const { jobs } = yield* channels.importEmails({ path: { id: channelID } })
      const { jobID } = yield* Effect.fromNullable(jobs[0])
      const putOff = (seconds: number) => sql`
        update job set due_at = now() + make_interval(secs => ${seconds}::int)
        where customer_id = 1 and job_id = ${jobID}::uuid and status = 'Queued' and error is not null
        returning 1`
      yield* eventually(putOff(3600), (rows) => rows.length === 1)
      yield* server.set()
      yield* mailWebhook.subscribeMail({ path: { id: channelID } })
      yield* putOff(0)
      yield* ticketsArrive(channelID, 3)
    })
  )

  it.effect("a folder that retrieves mail by itself leaves the mail that was there before", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* newMailChannel()
      mailbox.add("AAMk-inbox", mail({ subject: "Old", received: new Date("2024-05-01") }).fields)
      const { channelFolders, channels } = yield* clientOf("acme-admin")
      yield* channels.updateChannel({ path: { id: channelID }, payload: { autoRetrieveEmails: true } })
      const { folderID } = yield* channelFolders.createChannelFolder({
        payload: { channelID, name: "Inbox", type: "Inbox", autoRetrieveEmails: true }
      })
      yield* server.arrive(address, mail({ subject: "New" }))
      yield* comesRound("Mail catch-up")
      yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["New"])
    })
  )

  it.effect("a round adds no second job to one that is still to be tried again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { channelID, folderID } = yield* subscribedChannel
      const rounds = ["Mail subscription renewals", "Mail catch-up", "Set-aside mail"]
      const turn = sql`update periodic_work set next_at = now() where ${sql.in("name", rounds)}`
      const turnIsTaken = eventually(
        sql`select 1 from periodic_work where ${sql.in("name", rounds)} and next_at > now() + interval '1 minute'`,
        ({ length }) => length === rounds.length
      )
      yield* sql`
        update channel_folder set subscription_expires_at = now() + interval '1 hour'
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* sql`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at)
        values (1, ${folderID}, 'gone', 10, 'before', now() - interval '31 minutes')`
      const ofFolder = sql`
        customer_id = 1 and status in ('Queued', 'Running') and payload ->> 'folderID' = ${String(folderID)}`
      const failedOnce = sql`
        update job set due_at = now() + interval '1 hour'
        where ${ofFolder} and status = 'Queued' and error is not null returning kind`
      const kinds = ["ImportFolder", "ImportMessage", "RenewSubscription"]
      yield* server.set({ fail: { requests: 1000, status: 400 } })
      yield* turn
      yield* eventually(failedOnce, ({ length }) => length >= kinds.length)
      yield* turn
      yield* turnIsTaken
      expect(yield* sql`select kind from job where ${ofFolder} order by kind`).toEqual(kinds.map((kind) => ({ kind })))
      yield* server.set()
      yield* sql`update job set due_at = now() where ${ofFolder}`
      yield* settled(channelID)
    })
  )

  it.effect("two folders of a channel that are one at the provider are refused in plain words", () =>
    Effect.gen(function* () {
      const { channelID } = yield* newMailChannel()
      const { channelFolders } = yield* clientOf("acme-admin")
      for (const name of ["Inbox", "The same"]) {
        yield* channelFolders.createChannelFolder({ payload: { channelID, name, type: "Inbox" } })
      }
      const token = yield* tokenOf("acme-admin")
      const answer = yield* sendJson("POST", `/api/MailWebhook/subscribe/${channelID}`, { token })
      expect(answer.status).toBe(502)
      expect(answer.text).toContain("The same")
    })
  )

  it.effect("a subscription that is created while its channel goes away does not outlive it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const token = yield* tokenOf("acme-admin")
      const moves = [
        (id: number) => sendJson("DELETE", `/api/Channels/${id}`, { token }),
        (id: number) =>
          sendJson("PUT", `/api/Channels/${id}`, { token, body: { emailAddress: `elsewhere-${id}@acme.example` } })
      ]
      for (const move of moves) {
        const { address, channelID } = yield* newMailChannel()
        yield* server.set({ handshakeDelay: 3000 })
        const subscribing = yield* Effect.fork(sendJson("POST", `/api/MailWebhook/subscribe/${channelID}`, { token }))
        yield* eventually(
          sql`select 1 from channel_folder where customer_id = 1 and channel_id = ${channelID} and client_state is not null`,
          (rows) => rows.length === 1
        )
        expect((yield* move(channelID)).status).toBe(204)
        yield* Fiber.join(subscribing)
        yield* server.set()
        yield* eventually(subscriptionsOf(address), (left) => left.length === 0)
      }
    })
  )

  it.effect("a subscription that is created while its channel is unsubscribed is ended again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { mailWebhook } = yield* clientOf("acme-admin")
      const { address, channelID, folderID } = yield* subscribedChannel
      const before = yield* Effect.fromNullable((yield* subscriptionsOf(address))[0])
      server.state.subscriptions.delete(before.id)
      yield* server.set({ handshakeDelay: 3000 })
      const mine = sql`customer_id = 1 and channel_folder_id = ${folderID}`
      yield* sql`
        update channel_folder set subscription_id = null, subscription_expires_at = null, client_state = null
        where ${mine}`
      yield* comesRound("Mail subscription renewals")
      const agreed = sql`select 1 from channel_folder where ${mine} and client_state is not null`
      yield* eventually(agreed, (rows) => rows.length === 1)
      yield* mailWebhook.unsubscribeMail({ path: { id: channelID } })
      const renewals = sql`select 1 from job where customer_id = 1 and kind = 'RenewSubscription'
        and status in ('Queued', 'Running') and payload ->> 'folderID' = ${String(folderID)}`
      yield* eventually(renewals, (rows) => rows.length === 0)
      yield* server.set()
      expect((yield* folderOf(folderID)).subscriptionID).toBeNull()
      yield* eventually(subscriptionsOf(address), (left) => left.length === 0)
    })
  )

  it.effect("a removal that broke off after the provider acted leaves no folder with a dead subscription", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { channelID, folderID } = yield* subscribedChannel
      const { subscriptionID } = yield* folderOf(folderID)
      server.state.subscriptions.delete(yield* Effect.fromNullable(subscriptionID))
      yield* sql`insert into job (customer_id, kind, payload)
        values (1, 'RemoveSubscription', ${JSON.stringify({ channelID, subscriptionID })}::jsonb)`
      yield* eventually(folderOf(folderID), (folder) => folder.subscriptionID !== subscriptionID)
      yield* settled(channelID)
    })
  )

  it.effect("an unreadable client state does not keep other channels from being notified", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [broken, other] = [yield* subscribedTo(), yield* subscribedTo("globex-admin")]
      yield* sql`update channel_folder set client_state = 'unreadable'
        where customer_id = 1 and channel_folder_id = ${broken.folderID}`
      expect((yield* tellOfBoth(broken.address, other.address)).status).toBe(200)
      const { channelFolders } = yield* clientOf("globex-admin")
      const told = yield* channelFolders.getChannelFolder({ path: { id: other.folderID } })
      expect(told.lastNotificationUtc).not.toBeNull()
      expect((yield* folderOf(broken.folderID)).lastNotificationUtc).toBeNull()
    })
  )

  it.effect("a customer whose mail cannot be recorded does not keep others from being notified", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [broken, other] = [yield* subscribedTo(), yield* subscribedTo("globex-admin")]
      yield* sql`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`
      yield* sql`
        create trigger refused before insert on job for each row when (new.customer_id = 1) execute function refuse()`
      const { status } = yield* tellOfBoth(broken.address, other.address)
      yield* sql`drop function refuse cascade`
      // The provider repeats the whole notification.
      expect(status).toBe(500)
      const { channelFolders } = yield* clientOf("globex-admin")
      const told = yield* channelFolders.getChannelFolder({ path: { id: other.folderID } })
      expect(told.lastNotificationUtc).not.toBeNull()
      expect((yield* folderOf(broken.folderID)).lastNotificationUtc).toBeNull()
    })
  )

  it.effect("a notification waits for a transaction that changes the folder and then asks for an import", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* Jobs
      const { address, folderID } = yield* subscribedTo()
      const [subscription] = yield* subscriptionsOf(address)
      const { clientState, id: subscriptionId } = yield* Effect.fromNullable(subscription)
      const body = { value: [{ subscriptionId, clientState, lifecycleEvent: "missed" }] }
      const telling = yield* Effect.gen(function* () {
        yield* sql`update channel_folder set last_sync_at = now()
          where customer_id = 1 and channel_folder_id = ${folderID}`
        const sent = yield* Effect.forkDaemon(sendJson("POST", "/api/MailWebhook", { body }))
        // The embedded database has one connection, so there it waits in any case.
        if (onPostgres) yield* eventually(waitingForMe, (waiting) => waiting > 0)
        yield* jobs.enqueue(importFolder, CustomerID.make(1), { folderID }, folderKey(folderID))
        return sent
      }).pipe(sql.withTransaction)
      expect((yield* Fiber.join(telling)).status).toBe(200)
    })
  )

  it.effect("another spelling of the same address changes nothing about the mailbox", () =>
    Effect.gen(function* () {
      const { address, channelID, folderID } = yield* subscribedChannel
      const { channels } = yield* clientOf("acme-admin")
      const before = yield* folderOf(folderID)
      const emailAddress = address.toUpperCase()
      yield* channels.updateChannel({ path: { id: channelID }, payload: { emailAddress } })
      expect((yield* channels.getChannel({ path: { id: channelID } })).emailAddress).toBe(emailAddress)
      const { externalFolderID, subscriptionID } = yield* folderOf(folderID)
      expect({ externalFolderID, subscriptionID }).toEqual({
        externalFolderID: before.externalFolderID,
        subscriptionID: before.subscriptionID
      })
      expect(subscriptionID).not.toBeNull()
    })
  )

  it.effect("a mail whose References contain a NUL becomes a ticket", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      yield* server.arrive(address, mail({ subject: "Odd", headers: { References: "<one@x> <t\u0000wo@x>" } }))
      yield* ticketsArrive(channelID, 1)
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
    })
  )
})
