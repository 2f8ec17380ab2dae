import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { field } from "../support/Fields.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { folderOf, mailApp, newMailChannel, subscribedTo, subscriptionsOf, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"

layer(mailApp(), { excludeTestServices: true })("A mailbox with one subscription", (it) => {
  it.effect("notifies every channel that shares it, until the last one unsubscribes", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { mailWebhook } = yield* clientOf("acme-admin")
      const first = yield* subscribedTo()
      const second = yield* subscribedTo("acme-admin", first.address)
      const [subscription] = yield* subscriptionsOf(first.address)
      for (const { folderID } of [first, second]) {
        const folder = yield* folderOf(folderID)
        expect(folder.subscriptionID).toBe(subscription?.id)
        expect(folder.subscriptionExpiresUtc).not.toBeNull()
      }
      yield* server.arrive(first.address, mail({ subject: "For both" }))
      for (const { channelID } of [first, second]) {
        expect((yield* ticketsArrive(channelID, 1)).map(({ subject }) => subject)).toEqual(["For both"])
      }

      yield* mailWebhook.unsubscribeMail({ path: { id: first.channelID } })
      expect((yield* folderOf(first.folderID)).subscriptionID).toBeNull()
      yield* server.arrive(first.address, mail({ subject: "For the second" }))
      yield* ticketsArrive(second.channelID, 2)
      // If it were removed for the first, nobody would be notified of this mail.
      const removed = server.state.seen.filter(({ method, path }) => method === "DELETE" && path.includes("subscript"))
      expect(removed).toEqual([])

      yield* mailWebhook.unsubscribeMail({ path: { id: second.channelID } })
      yield* eventually(subscriptionsOf(first.address), (left) => left.length === 0)
    })
  )

  it.effect("checks the client state of each channel, even of different customers", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const first = yield* subscribedTo()
      const second = yield* subscribedTo("globex-admin", first.address)
      const { channelFolders, tickets } = yield* clientOf("globex-admin")
      const told = Effect.all([
        Effect.map(folderOf(first.folderID), ({ lastNotificationUtc }) => lastNotificationUtc),
        Effect.map(
          channelFolders.getChannelFolder({ path: { id: second.folderID } }),
          ({ lastNotificationUtc }) => lastNotificationUtc
        )
      ])
      yield* server.set({ forge: true })
      yield* server.arrive(first.address, mail({ subject: "Forged" }))
      expect(yield* told).toEqual([null, null])
      yield* server.set()
      yield* server.arrive(first.address, mail({ subject: "Genuine" }))
      expect(yield* told).not.toContain(null)
      yield* ticketsArrive(first.channelID, 1)
      const ofSecond = tickets.listTickets({ urlParams: { channelIDs: [second.channelID] } })
      yield* eventually(ofSecond, ({ totalCount }) => totalCount > 0)
    })
  )

  it.effect("can be subscribed to again while the removal of its last subscription is still pending", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { mailWebhook } = yield* clientOf("acme-admin")
      const { address, channelID, folderID } = yield* subscribedTo()
      const path = { id: channelID }
      const before = yield* Effect.fromNullable((yield* subscriptionsOf(address))[0])
      const removals = Effect.sync(() =>
        server.state.seen.filter((seen) => seen.method === "DELETE" && seen.path.endsWith(before.id))
      )
      const putOff = (seconds: number) => sql`
        update job set due_at = now() + make_interval(secs => ${seconds}::int)
        where customer_id = 1 and kind = 'RemoveSubscription' and payload ->> 'subscriptionID' = ${before.id}
          and status = 'Queued' and error is not null
        returning 1`
      yield* server.set({ failRemovals: 1000 })
      yield* mailWebhook.unsubscribeMail({ path })
      yield* eventually(putOff(3600), (jobs) => jobs.length === 1)
      yield* server.set()
      yield* mailWebhook.subscribeMail({ path })
      expect((yield* removals).filter(({ status }) => status !== 503)).toHaveLength(1)
      yield* putOff(0)
      // The postponed removal has been tried again, and found nothing to remove.
      yield* eventually(removals, (seen) => seen.filter(({ status }) => status !== 503).length === 2)
      const now = yield* subscriptionsOf(address)
      expect(now.map(({ id }) => id)).toEqual([(yield* folderOf(folderID)).subscriptionID])
      expect(now[0]?.id).not.toBe(before?.id)
      yield* server.set({ forge: true })
      yield* server.arrive(address, mail({ subject: "Forged" }))
      expect((yield* folderOf(folderID)).lastNotificationUtc).toBeNull()
      yield* server.set()
      yield* server.arrive(address, mail({ subject: "Told" }))
      yield* ticketsArrive(channelID, 1)
    })
  )

  it.effect("is subscribed to once by many concurrent requests", () =>
    Effect.gen(function* () {
      const { address, channelID } = yield* newMailChannel()
      const token = yield* tokenOf("acme-admin")
      const subscribe = sendJson("POST", `/api/MailWebhook/subscribe/${channelID}`, { token })
      const answers = yield* Effect.all([subscribe, subscribe, subscribe, subscribe], { concurrency: 4 })
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      // A provider may grant more than one to concurrent requests: one is kept.
      const folders = sendJson("GET", `/api/ChannelFolders/byChannel/${channelID}`, { token })
      yield* eventually(
        Effect.all({ left: subscriptionsOf(address), held: Effect.map(folders, ({ json }) => field(json, "0")) }),
        ({ held, left }) =>
          left.length === 1 && field(held, "name") === "Inbox" && field(held, "subscriptionID") === left[0]?.id
      )
    }).pipe(Effect.replicateEffect(onPostgres ? 10 : 1, { discard: true }))
  )

  it.effect("is subscribed to even if the existing subscription ends before it can be taken over", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const first = yield* subscribedTo()
      const [ended] = yield* subscriptionsOf(first.address)
      yield* server.set({ loseSubscriptions: 1 })
      const second = yield* subscribedTo("acme-admin", first.address)
      const now = yield* subscriptionsOf(first.address)
      expect(now).toHaveLength(1)
      expect(now[0]?.id).not.toBe(ended?.id)
      expect((yield* folderOf(second.folderID)).subscriptionID).toBe(now[0]?.id)
      expect(server.state.switches.loseSubscriptions).toBe(0)
      yield* server.set()
    })
  )

  it.effect("is subscribed to even if the provider fails at first", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* newMailChannel()
      const { mailWebhook } = yield* clientOf("acme-admin")
      yield* server.set({ failSubscribing: 1 })
      yield* mailWebhook.subscribeMail({ path: { id: channelID } })
      expect(yield* subscriptionsOf(address)).toHaveLength(1)
      expect(server.state.switches.failSubscribing).toBe(0)
      yield* server.set()
    })
  )
})
