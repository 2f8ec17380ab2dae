import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Equal, Layer, Logger, LogLevel } from "effect"
import type { ChannelFolder } from "../../schema/ChannelFolders.ts"
import { type ChannelFolderID, ChannelID } from "../../schema/Ids.ts"
import { LeftSubscriptions } from "../../src/mail/LeftSubscriptions.ts"
import { MailFolders } from "../../src/mail/MailFolders.ts"
import { Subscriptions } from "../../src/mail/Subscriptions.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import {
  importsLeft,
  mailApp,
  messagesOf,
  newMailChannel,
  settled,
  subscribedChannel,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"
import { clientOf, send, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { testDatabaseClock } from "./DatabaseClock.ts"

const folderOf = (folderID: ChannelFolderID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channelFolders }) =>
    channelFolders.getChannelFolder({ path: { id: folderID } })
  )

/** Certainly later than a subscription made just now: the provider counts in whole seconds. */
const inAMinute = () => new Date(Date.now() + 60_000)

const post = (body: unknown) => sendJson("POST", "/api/MailWebhook", { body })

const subscriptionOf = (address: string) =>
  Effect.gen(function* () {
    const server = yield* GraphServer
    const mine = (yield* server.subscriptions).find(({ resource }) => resource.includes(address))
    return mine ?? (yield* Effect.dieMessage(`The provider knows no subscription of ${address}`))
  })

/** How long the slowest of many concurrent requests takes. */
const slowestOf = <E, R>(requests: ReadonlyArray<Effect.Effect<{ readonly status: number }, E, R>>) =>
  Effect.forEach(
    requests,
    (request) =>
      Effect.gen(function* () {
        const started = performance.now()
        expect((yield* request).status).toBe(200)
        return performance.now() - started
      }),
    { concurrency: 50 }
  ).pipe(Effect.map((taken) => Math.max(...taken)))

/** Makes the periodic work due. */
const comesRound = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update periodic_work set next_at = now() where name = ${name}`)

layer(mailApp(), { excludeTestServices: true })("Mail subscriptions", (it) => {
  it.effect("a mail becomes a ticket as soon as the provider notifies", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      const subscription = yield* subscriptionOf(address)
      expect(subscription).toMatchObject({
        resource: `/users/${address}/mailFolders('AAMk-inbox')/messages`,
        changeType: "created",
        notificationUrl: "https://casework.example/api/mailwebhook"
      })
      expect(subscription.clientState?.length).toBeGreaterThan(30)
      const days =
        (new Date(yield* Effect.fromNullable(subscription.expirationDateTime)).getTime() - Date.now()) / 86_400_000
      expect(Math.round(days * 10) / 10).toBe(6)
      const before = yield* folderOf(folderID)
      expect(before).toMatchObject({
        autoRetrieveEmails: true,
        subscriptionID: subscription.id,
        lastNotificationUtc: null
      })

      const { statuses } = yield* server.arrive(address, mail({ subject: "Keys lost", fromName: "Maria Keller" }))
      expect(statuses).toEqual([200])
      const [ticket] = yield* ticketsArrive(channelID, 1)
      expect(ticket).toMatchObject({ subject: "Keys lost", status: "Open", channelType: "Email" })
      const [message] = yield* messagesOf(yield* Effect.fromNullable(ticket?.ticketID))
      expect(message).toMatchObject({
        senderType: "EndUser",
        fromAddress: "tenant@home.example",
        fromName: "Maria Keller",
        message: "The tap in the kitchen leaks."
      })
      expect((yield* folderOf(folderID)).lastNotificationUtc).not.toBeNull()
    })
  )

  it.effect("earlier mail stays where it is until import-emails asks for it", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* newMailChannel()
      Arr.makeBy(130, (index) =>
        mailbox.add("AAMk-inbox", mail({ subject: `Old ${index}`, received: new Date("2024-05-01") }).fields)
      )
      const { channels, jobs, mailWebhook } = yield* clientOf("acme-admin")
      yield* mailWebhook.subscribeMail({ path: { id: channelID } })
      yield* server.arrive(address, mail({ subject: "New" }))
      expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["New"])
      yield* settled(channelID)
      expect(yield* ticketsOf(channelID)).toHaveLength(1)

      const started = yield* channels.importEmails({ path: { id: channelID } })
      expect(started.jobs).toMatchObject([{ channelID }])
      const path = { id: yield* Effect.fromNullable(started.jobs[0]?.jobID) }
      const job = yield* eventually(jobs.getJob({ path }), ({ status }) => status === "Succeeded")
      expect(job).toMatchObject({ kind: "ImportFolder", total: 131, done: 131, imported: 130, skipped: 1, failed: 0 })
      expect(yield* ticketsOf(channelID)).toHaveLength(131)
    })
  )

  it.effect("doubled and reordered notifications import each mail once", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      yield* server.set({ copies: 3, reorder: true })
      yield* server.arrive(address, ...Arr.makeBy(8, (index) => mail({ subject: `Mail ${index}` })))
      yield* ticketsArrive(channelID, 8)
      yield* settled(channelID)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject).sort()).toEqual(
        Arr.makeBy(8, (index) => `Mail ${index}`)
      )
      yield* server.set()
    })
  )

  it.effect("lost notifications are made up for when the provider says so, and every 15 minutes", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      yield* server.set({ lose: true })
      yield* server.arrive(address, mail({ subject: "Lost" }))
      const subscription = yield* subscriptionOf(address)
      expect(yield* server.lifecycle(subscription, "missed")).toBe(200)
      yield* ticketsArrive(channelID, 1)
      yield* server.arrive(address, mail({ subject: "Lost too" }))
      yield* comesRound("Mail catch-up")
      yield* ticketsArrive(channelID, 2)
      const folder = yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect(folder.lastError).toBeNull()
      yield* server.set()
    })
  )

  it.effect("a forged, missing or foreign clientState is ignored", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      yield* server.set({ forge: true })
      const { messages } = yield* server.arrive(address, mail())
      const subscription = yield* subscriptionOf(address)
      const entry = {
        subscriptionId: subscription.id,
        changeType: "created",
        resource: subscription.resource,
        resourceData: { id: messages[0]?.id }
      }
      expect((yield* post({ value: [entry] })).status).toBe(200)
      expect((yield* post({ value: [{ ...entry, clientState: "" }] })).status).toBe(200)
      expect(yield* importsLeft(channelID)).toBe(0)
      expect((yield* folderOf(folderID)).lastNotificationUtc).toBeNull()
      yield* post({ value: [{ ...entry, clientState: subscription.clientState, changeType: "updated" }] })
      expect(yield* ticketsOf(channelID)).toEqual([])
      yield* post({ VALUE: [{ ...entry, subscriptionId: "unknown", clientState: subscription.clientState }] })
      yield* ticketsArrive(channelID, 1)
      yield* server.set()
    })
  )

  it.effect("a subscription is known by its id in any case, in notifications and in the database", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const sql = yield* SqlClient.SqlClient
      const { address, channelID, folderID } = yield* subscribedChannel
      yield* server.set({ lose: true })
      const { messages } = yield* server.arrive(address, mail(), mail())
      yield* server.set()
      const { clientState, id } = yield* subscriptionOf(address)
      // The form in which only the id tells the folder.
      const tell = (subscriptionId: string, messageID = "") =>
        post({
          value: [{ subscriptionId, clientState, changeType: "created", resource: `Users/1/Messages/${messageID}` }]
        })
      yield* tell(id.toUpperCase(), messages[0]?.id)
      yield* ticketsArrive(channelID, 1)
      yield* sql`
        update channel_folder set subscription_id = upper(subscription_id)
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* tell(id, messages[1]?.id)
      yield* ticketsArrive(channelID, 2)
    })
  )

  it.effect("any notification is answered with 200, unless it is not JSON", () =>
    Effect.gen(function* () {
      for (const body of [{}, [], 5, "text", null, { value: 5 }, { value: [null, 5, {}, { resource: 7 }] }]) {
        expect([body, (yield* post(body)).status]).toEqual([body, 200])
      }
      for (const headers of [{}, { "content-type": "text/plain" }]) {
        expect((yield* sendJson("POST", "/api/mailwebhook", { headers })).status).toBe(200)
      }
      const { address } = yield* subscribedChannel
      const { clientState, id } = yield* subscriptionOf(address)
      for (const odd of ["\u0000", "\ud800", "'; drop table ticket; --"]) {
        const entry = {
          subscriptionId: id,
          clientState,
          changeType: "created",
          resource: `Users/x/Messages/${odd}`,
          resourceData: { id: odd }
        }
        const withOthers = { value: [entry, { ...entry, subscriptionId: odd }, { ...entry, clientState: odd }] }
        expect([odd, (yield* post(withOthers)).status]).toEqual([odd, 200])
      }
      for (const lifecycleEvent of ["constructor", "__proto__", "unheard of"]) {
        const value = [{ subscriptionId: id, clientState, lifecycleEvent }]
        expect([lifecycleEvent, (yield* post({ value })).status]).toEqual([lifecycleEvent, 200])
      }
      const token = encodeURIComponent("Validation: a b+c & <script>")
      for (const method of ["GET", "POST"]) {
        const echo = yield* sendJson(method, `/api/MailWebhook?validationToken=${token}`)
        expect(echo).toMatchObject({ status: 200, text: "Validation: a b+c & <script>" })
        expect(echo.headers.get("content-type")).toMatch(/^text\/plain/)
        expect(echo.headers.get("x-content-type-options")).toBe("nosniff")
      }
      expect((yield* sendJson("GET", "/api/MailWebhook")).status).toBe(400)
      expect((yield* sendJson("GET", "/api/MailWebhook?validationToken=")).status).toBe(400)
      // Without a token it is not a handshake, so the body is parsed.
      const broken = { headers: { "content-type": "application/json" }, body: "{" }
      expect((yield* send("POST", "/api/MailWebhook?validationToken=", broken)).status).toBe(400)
      expect((yield* sendJson("GET", `/api/MailWebhook?validationToken=${"x".repeat(3000)}`)).status).toBe(400)
    })
  )

  it.effect("a burst of a thousand notifications is answered before any mail is fetched, and loses nothing", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const sql = yield* SqlClient.SqlClient
      const { address, folderID } = yield* subscribedChannel
      const subscription = yield* subscriptionOf(address)
      const entry = (id: string) => ({
        subscriptionId: subscription.id,
        clientState: subscription.clientState,
        changeType: "created",
        resource: `Users/x/Messages/${id}`,
        resourceData: { id }
      })
      // The provider gives no mail before the last response: that must not make a difference.
      yield* server.set({ latency: 600_000 })
      // On a busy machine even a thousand empty requests take more than a second each, hence the comparison; a short
      // pause of the machine makes one burst slow, but not the next, hence the repetition.
      let [bursts, isQuick] = [0, false]
      while (!isQuick && bursts < 5) {
        bursts += 1
        const slowestEmpty = yield* slowestOf(Arr.makeBy(1000, () => post({ value: [] })))
        const entries = Arr.makeBy(1000, (index) => entry(`gone-${bursts}-${index}`))
        const slowest = yield* slowestOf(entries.map((one) => post({ value: [one] })))
        isQuick = slowest < Math.max(1000, 10 * slowestEmpty)
      }
      expect(server.state.seen.filter(({ path }) => path.includes("gone-"))).toEqual([])
      yield* server.set()
      const [row] = yield* sql<{ noted: number }>`
        select sum(jsonb_array_length(payload -> 'messageIDs'))::int as noted from job
        where customer_id = 1 and kind = 'ImportMessages' and payload ->> 'folderID' = ${String(folderID)}`
      // Work under way notices this and ends: nobody needs a thousand mails that do not exist.
      yield* sql`delete from job where customer_id = 1 and kind = 'ImportMessages'`
      expect(isQuick).toBe(true)
      expect(row?.noted).toBe(1000 * bursts)
    })
  )

  it.effect("subscriptions are renewed in time, and created again when the provider has lost them", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const sql = yield* SqlClient.SqlClient
      const { address, channelID, folderID } = yield* subscribedChannel
      const subscriptions = Effect.map(
        server.subscriptions,
        Arr.filter(({ resource }) => resource.includes(address))
      )
      const first = (yield* subscriptions)[0]
      const expireSoon = sql`
        update channel_folder set subscription_expires_at = now() + interval '40 hours'
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* expireSoon
      const isLong = ({ subscriptionExpiresUtc }: ChannelFolder) =>
        subscriptionExpiresUtc !== null && DateTime.toEpochMillis(subscriptionExpiresUtc) > Date.now() + 5 * 86_400_000
      yield* comesRound("Mail subscription renewals")
      expect((yield* eventually(folderOf(folderID), isLong)).subscriptionID).toBe(first?.id)

      yield* server.set({ forgetSubscriptions: true, lose: true })
      yield* server.arrive(address, mail({ subject: "While nobody told" }))
      yield* expireSoon
      yield* comesRound("Mail subscription renewals")
      const anew = yield* eventually(folderOf(folderID), ({ subscriptionID }) => subscriptionID !== first?.id)
      expect((yield* subscriptions).map(({ id }) => id)).toEqual([anew.subscriptionID])
      yield* ticketsArrive(channelID, 1)
      yield* server.set()

      const current = yield* subscriptionOf(address)
      yield* expireSoon
      expect(yield* server.lifecycle(current, "reauthorizationRequired")).toBe(200)
      yield* eventually(folderOf(folderID), isLong)
      expect(server.state.seen.some(({ path }) => path.endsWith(`/${current.id}/reauthorize`))).toBe(true)

      yield* settled(channelID)
      yield* server.set({ lose: true })
      yield* server.arrive(address, mail({ subject: "After the end" }))
      expect(yield* server.lifecycle(current, "subscriptionRemoved")).toBe(200)
      yield* eventually(folderOf(folderID), ({ subscriptionID }) => subscriptionID !== current.id)
      expect(yield* subscriptions).toHaveLength(1)
      yield* ticketsArrive(channelID, 2)
      yield* server.set()
    })
  )

  it.effect("a channel that gets another mailbox leaves the old one alone, and is notified about the new one", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      const { channels } = yield* clientOf("acme-admin")
      const emailAddress = `moved-${address}`
      yield* channels.updateChannel({ path: { id: channelID }, payload: { emailAddress } })
      expect(yield* folderOf(folderID)).toMatchObject({ subscriptionID: null, externalFolderID: null })
      mailbox.add("AAMk-inbox", mail({ subject: "To the old address" }).fields)
      server.mailbox(emailAddress)
      yield* comesRound("Mail subscription renewals")
      yield* eventually(folderOf(folderID), ({ subscriptionID }) => subscriptionID !== null)
      expect((yield* subscriptionOf(emailAddress)).resource).toContain(emailAddress)
      yield* server.arrive(emailAddress, mail({ subject: "To the new address" }))
      yield* ticketsArrive(channelID, 1)
      yield* settled(channelID)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update channel_folder set last_sync_at = null where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* comesRound("Mail catch-up")
      yield* eventually(folderOf(folderID), ({ lastSyncUtc }) => lastSyncUtc !== null)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["To the new address"])
    })
  )

  it.effect("an existing subscription at the provider is adopted", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* newMailChannel()
      const stranger = {
        id: "a-stranger",
        resource: `/users/${address}/mailFolders('AAMk-inbox')/messages`,
        notificationUrl: "https://casework.example/api/mailwebhook",
        changeType: "created",
        clientState: null,
        expirationDateTime: new Date().toISOString()
      }
      server.state.subscriptions.set(stranger.id, stranger)
      const { mailWebhook } = yield* clientOf("acme-admin")
      const { folders } = yield* mailWebhook.subscribeMail({ path: { id: channelID } })
      expect(folders).toMatchObject([{ subscriptionID: "a-stranger", autoRetrieveEmails: true }])
      yield* server.arrive(address, mail())
      yield* ticketsArrive(channelID, 1)
    })
  )

  it.effect("a notification that arrives before the subscription's response, and a slow handshake, lose nothing", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      yield* server.set({ notifyEarly: true, handshakeDelay: 500 })
      const { channelID } = yield* subscribedChannel
      yield* server.set()
      const [ticket] = yield* ticketsArrive(channelID, 1)
      expect(ticket?.subject).toBe("Earlier than the answer")
    })
  )

  it.effect("a mail that is gone before it is fetched is skipped", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      yield* server.set({ vanish: true })
      yield* server.arrive(address, mail())
      yield* settled(channelID)
      yield* server.set()
      yield* server.arrive(address, mail({ subject: "Still there" }))
      expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["Still there"])
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
    })
  )

  it.effect("a renewal waits as long as the provider asks for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, folderID } = yield* subscribedChannel
      yield* server.set({ throttle: { requests: 1, retryAfter: "600" } })
      yield* server.lifecycle(yield* subscriptionOf(address), "subscriptionRemoved")
      const waiting = sql<{ seconds: number }>`
        select extract(epoch from due_at - now())::int as seconds from job
        where customer_id = 1 and kind = 'RenewSubscription' and payload ->> 'folderID' = ${String(folderID)}
          and status = 'Queued' and due_at > now()`
      const [job] = yield* eventually(waiting, ({ length }) => length === 1)
      expect(job?.seconds).toBeGreaterThan(500)
      expect((yield* folderOf(folderID)).lastError).toContain("429")
      yield* server.set()
    })
  )

  it.effect("a mail whose file is missing is tried again, unless the mail is gone as well", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID } = yield* subscribedChannel
      const withFile = (subject: string) =>
        mail({ subject, attachments: [file("lease.pdf", "application/pdf", Buffer.from("%PDF-1.4"))] })
      yield* server.set({ loseFiles: "WithTheirMail" })
      yield* server.arrive(address, withFile("Gone"))
      yield* settled(channelID)
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
      yield* server.set({ loseFiles: "Alone" })
      yield* server.arrive(address, withFile("Still there"))
      const failing = yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 1)
      expect(failing.lastError).toContain("404")
      yield* server.set()
      yield* hurry("ImportMessage")
      expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["Still there"])
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )

  it.effect("a catch-up survives a withdrawn token, throttling and an expired delta link", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, mailbox } = yield* subscribedChannel
      yield* server.set({ lose: true })
      Arr.makeBy(230, (index) => mailbox.add("AAMk-inbox", mail({ subject: `Mail ${index}` }).fields))
      yield* server.set({ forgetDelta: true, withdrawTokensAfter: 40, throttle: { requests: 3, retryAfter: "1" } })
      const { channels } = yield* clientOf("acme-admin")
      const subscription = yield* subscriptionOf(address)
      yield* server.lifecycle(subscription, "missed")
      yield* ticketsArrive(channelID, 230)
      yield* settled(channelID)
      const list = yield* channels.listChannels()
      expect(list.some((channel) => channel.channelID === channelID)).toBe(true)
      const { tickets } = yield* clientOf("acme-admin")
      const { totalCount } = yield* tickets.listTickets({ urlParams: { channelIDs: [channelID] } })
      expect(totalCount).toBe(230)
      expect(mailbox.mostAtOnce).toBeLessThanOrEqual(4)
      yield* server.set()
    })
  )

  it.effect("a catch-up starts from scratch when the provider's address has changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      mailbox.add("AAMk-inbox", mail({ subject: "After the move", received: inAMinute() }).fields)
      yield* sql`
        update channel_folder set delta_link = replace(delta_link, '127.0.0.1', 'graph.before.example')
        where customer_id = 1 and channel_folder_id = ${folderID}`
      const { lastSyncUtc: before } = yield* folderOf(folderID)
      yield* server.lifecycle(yield* subscriptionOf(address), "missed")
      const folder = yield* eventually(
        folderOf(folderID),
        ({ lastError, lastSyncUtc }) => lastError !== null || !Equal.equals(lastSyncUtc, before)
      )
      expect(folder.lastError).toBeNull()
      expect((yield* ticketsArrive(channelID, 1))[0]?.subject).toBe("After the move")
    })
  )

  it.effect("an inbox that has another id since its mailbox was restored is read and subscribed to under that id", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      const old = yield* subscriptionOf(address)
      yield* server.set({ lose: true })
      yield* server.arrive(address, mail({ subject: "Before", received: inAMinute() }))
      mailbox.restore()
      yield* server.set()
      yield* server.lifecycle(old, "missed")
      const found = yield* eventually(
        folderOf(folderID),
        ({ lastError, subscriptionID }) => lastError !== null || (subscriptionID !== null && subscriptionID !== old.id)
      )
      expect(found).toMatchObject({ lastError: null, externalFolderID: mailbox.folder("inbox")?.id })
      yield* server.arrive(address, mail({ subject: "After", received: inAMinute() }))
      const arrived = yield* ticketsArrive(channelID, 2)
      expect(arrived.map(({ subject }) => subject)).toEqual(["Before", "After"])
      yield* eventually(server.subscriptions, (all) => all.every(({ id }) => id !== old.id))
    })
  )

  it.effect("an inbox that has another id is also found when its subscription is created again", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      const old = yield* subscriptionOf(address)
      mailbox.restore()
      server.state.subscriptions.delete(old.id)
      yield* server.lifecycle(old, "subscriptionRemoved")
      const found = yield* eventually(
        folderOf(folderID),
        ({ lastError, subscriptionID }) => lastError !== null || (subscriptionID !== null && subscriptionID !== old.id)
      )
      expect(found).toMatchObject({ lastError: null, externalFolderID: mailbox.folder("inbox")?.id })
      yield* server.arrive(address, mail({ received: inAMinute() }))
      yield* ticketsArrive(channelID, 1)
    })
  )

  it.effect(
    "a folder that somebody named by its id is not taken for the inbox when it is gone, whatever its type",
    () =>
      Effect.gen(function* () {
        const { channelID, mailbox } = yield* newMailChannel()
        mailbox.add("AAMk-inbox", mail({ subject: "Private mail in the inbox" }).fields)
        const { channelFolders, channels, mailWebhook } = yield* clientOf("acme-admin")
        const path = { id: channelID }
        const named = { id: "AAMk-complaints", displayName: "Complaints", parentID: null }
        mailbox.folders.push(named)
        const { folderID } = yield* channelFolders.createChannelFolder({
          payload: { channelID, name: named.displayName, type: "Inbox", externalFolderID: named.id }
        })
        yield* channels.importEmails({ path })
        yield* settled(channelID)
        expect(yield* folderOf(folderID)).toMatchObject({ lastError: null, externalFolderID: named.id })
        mailbox.folders.pop()
        yield* channels.importEmails({ path })
        const gone = yield* eventually(folderOf(folderID), ({ lastError }) => lastError !== null)
        expect(gone).toMatchObject({ lastError: expect.stringContaining("404"), externalFolderID: named.id })
        expect((yield* Effect.either(mailWebhook.subscribeMail({ path })))._tag).toBe("Left")
        expect((yield* folderOf(folderID)).externalFolderID).toBe(named.id)
        expect(yield* ticketsOf(channelID)).toEqual([])
      })
  )

  it.effect("a folder that was found by its type is not looked for by another one that it got by hand", () =>
    Effect.gen(function* () {
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const { channelFolders, channels } = yield* clientOf("acme-admin")
      const path = { id: folderID }
      const { externalFolderID } = yield* folderOf(folderID)
      yield* channelFolders.updateChannelFolder({ path, payload: { name: "Renamed" } })
      yield* channelFolders.updateChannelFolder({ path, payload: { type: "Sent" } })
      mailbox.restore()
      yield* channels.importEmails({ path: { id: channelID } })
      const lost = yield* eventually(folderOf(folderID), ({ lastError }) => lastError !== null)
      expect(lost).toMatchObject({ lastError: expect.stringContaining("404"), externalFolderID })
      yield* channelFolders.updateChannelFolder({ path, payload: { type: "Inbox", externalFolderID: null } })
      const inbox = mailbox.folder("inbox")?.id
      yield* channels.importEmails({ path: { id: channelID } })
      yield* eventually(folderOf(folderID), (found) => found.lastError === null && found.externalFolderID === inbox)
    })
  )

  it.effect("a failed reauthorisation or removal is logged without naming anybody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, customerID, folderID } = yield* subscribedChannel
      server.state.subscriptions.delete((yield* subscriptionOf(address)).id)
      // Of a channel that does not exist.
      const removal = JSON.stringify({ channelID: 999_999, subscriptionID: "left" })
      yield* sql`
        insert into job (customer_id, kind, payload, due_at)
        values (${customerID}, 'RemoveSubscription', ${removal}::jsonb, now() + interval '1 day')`
      const logged: Array<string> = []
      const noting = Logger.make(({ message }) => void logged.push(JSON.stringify(message)))
      const { left } = yield* Effect.gen(function* () {
        const [folders, subscriptions] = [yield* MailFolders, yield* Subscriptions]
        yield* subscriptions.renew(yield* Effect.flatten(folders.open(customerID, folderID)), true)
        return yield* Effect.flatMap(LeftSubscriptions, ({ end }) => end(customerID))
      }).pipe(
        Effect.provide(
          Layer.merge(LeftSubscriptions.layer, Subscriptions.layer).pipe(
            Layer.provideMerge(MailFolders.layer),
            Layer.merge(Logger.replace(Logger.defaultLogger, noting)),
            Layer.merge(Logger.minimumLogLevel(LogLevel.Warning))
          )
        )
      )
      yield* sql`delete from job where customer_id = ${customerID} and payload ->> 'subscriptionID' = 'left'`
      expect(left).toBe(1)
      expect(logged).toEqual([
        expect.stringContaining("MailProblem Missing"),
        expect.stringContaining("NoSuchElementException")
      ])
      expect((yield* subscriptionOf(address)).resource).toContain(address)
    })
  )

  it.effect("unsubscribe, deleting the folder and deleting the channel end the subscription at the provider", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelFolders, channels, mailWebhook } = yield* clientOf("acme-admin")
      const endings = [
        ({ channelID }: { channelID: ChannelID }) => mailWebhook.unsubscribeMail({ path: { id: channelID } }),
        ({ folderID }: { folderID: ChannelFolderID }) => channelFolders.deleteChannelFolder({ path: { id: folderID } }),
        ({ channelID }: { channelID: ChannelID }) => channels.deleteChannel({ path: { id: channelID } })
      ]
      for (const end of endings) {
        const channel = yield* subscribedChannel
        const mine = Effect.map(
          server.subscriptions,
          Arr.filter(({ resource }) => resource.includes(channel.address))
        )
        expect(yield* mine).toHaveLength(1)
        yield* Effect.asVoid(end(channel))
        yield* eventually(mine, (left) => left.length === 0)
      }
      const { address, channelID } = yield* subscribedChannel
      const off = yield* mailWebhook.unsubscribeMail({ path: { id: channelID } })
      expect(off).toMatchObject({
        autoRetrieveEmails: false,
        folders: [{ autoRetrieveEmails: false, subscriptionID: null }]
      })
      yield* server.arrive(address, mail())
      yield* settled(channelID)
      expect(yield* ticketsOf(channelID)).toEqual([])
    })
  )

  it.effect("subscribe says what is missing, and leaves nothing on when the provider refuses", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channels, mailWebhook } = yield* clientOf("acme-admin")
      const subscribe = (channelID: ChannelID) => Effect.flip(mailWebhook.subscribeMail({ path: { id: channelID } }))
      expect(yield* subscribe(ChannelID.make(2_000_000_000))).toMatchObject({ status: 404 })
      const plain = { channelType: "Email", name: "Plain", isActive: true } as const
      const withoutAddress = yield* channels.createChannel({ payload: plain })
      expect(yield* subscribe(withoutAddress.channelID)).toMatchObject({ status: 400 })
      const withAddress = yield* channels.createChannel({ payload: { ...plain, emailAddress: "x@acme.example" } })
      const unconfigured = yield* subscribe(withAddress.channelID)
      expect(unconfigured).toMatchObject({ status: 400 })
      expect(unconfigured.message).toContain("mailProviderTenantID, mailProviderClientID, mailProviderClientSecret")

      const { channelID } = yield* newMailChannel()
      const path = { id: channelID }
      yield* channels.updateChannel({
        path,
        payload: {
          overrideMailProviderAuthorityURL: "http://127.0.0.1:9",
          overrideMailProviderClientSecret: simulatedCredentials.clientSecret
        }
      })
      expect(yield* subscribe(channelID)).toMatchObject({ status: 400 })
      yield* channels.updateChannel({
        path,
        payload: { overrideMailProviderAuthorityURL: server.authorityUrl, overrideMailProviderClientSecret: "wrong" }
      })
      const refused = yield* subscribe(channelID)
      expect(refused).toMatchObject({ status: 502 })
      expect(refused.message).toContain("AADSTS7000215")
      expect((yield* channels.getChannel({ path })).autoRetrieveEmails).toBe(false)
      const token = yield* tokenOf("acme-admin")
      const folders = yield* sendJson("GET", `/api/ChannelFolders/byChannel/${channelID}`, { token })
      expect(folders.json).toMatchObject([{ autoRetrieveEmails: false, subscriptionID: null }])
    })
  )
})

if (onPostgres) testDatabaseClock()
