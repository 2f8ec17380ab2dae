import { SqlClient } from "@effect/sql"
import { Array as Arr, Duration, Effect, Layer } from "effect"
import type { ChannelFolderID, ChannelID, TicketID } from "../../schema/Ids.ts"
import { LookEvery } from "../../src/platform/queue/Periodically.ts"
import { eventually } from "./Eventually.ts"
import { GraphServer, simulatedCredentials } from "./GraphServer.ts"
import { baseUrl, clientOf, quietApp } from "./TestApp.ts"

/** The service next to a simulated mail provider that it may call. */
export const mailApp = (overrides: Readonly<Record<string, string>> = {}, app = quietApp) =>
  Layer.unwrapEffect(
    Effect.map(GraphServer, ({ graphUrl, port }) =>
      app({ GRAPH_BASE_URL: graphUrl, OUTBOUND_ALLOW: `127.0.0.1:${port}`, ...overrides })
    )
  ).pipe(Layer.provide(Layer.succeed(LookEvery, Duration.seconds(1))), Layer.provideMerge(GraphServer.layer))

/** Waits until the work that a node does every 15 minutes is done and not about to start again. */
export const roundIsOver = eventually(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select name from periodic_work where name like 'Mail %' and next_at > now() + interval '1 minute'`
  ),
  (rows) => rows.length === 2
)

let count = 0

/** An Email channel with its own mailbox, whose provider the service can reach. */
export const newMailChannel = (username = "acme-admin", ofMailbox?: string) =>
  Effect.gen(function* () {
    const server = yield* GraphServer
    yield* server.serviceAt(yield* baseUrl)
    yield* roundIsOver
    const { channels } = yield* clientOf(username)
    count += 1
    const address = ofMailbox ?? `mailbox-${count}@acme.example`
    const { channelID, customerID } = yield* channels.createChannel({
      payload: {
        channelType: "Email",
        name: address,
        isActive: true,
        emailAddress: address,
        overrideMailProviderTenantID: simulatedCredentials.tenantID,
        overrideMailProviderClientID: simulatedCredentials.clientID,
        overrideMailProviderClientSecret: simulatedCredentials.clientSecret,
        overrideMailProviderAuthorityURL: server.authorityUrl
      }
    })
    return { channelID, customerID, address, mailbox: server.mailbox(address) }
  })

/** How many imports of a channel are still pending. */
export const importsLeft = (channelID: ChannelID, customerID = 1) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select kind from job where customer_id = ${customerID} and status in ('Queued', 'Running')
        and kind in ('ImportMessage', 'ImportMessages', 'ImportFolder') and payload ->> 'folderID' in (
          select channel_folder_id::text from channel_folder
          where customer_id = ${customerID} and channel_id = ${channelID})`
  ).pipe(Effect.map(({ length }) => length))

/** Waits until nothing is left to import for a channel. */
export const settled = (channelID: ChannelID, customerID = 1) =>
  eventually(importsLeft(channelID, customerID), (left) => left === 0)

/** A new channel with a subscription to new mail, after the first look into its mailbox. */
export const subscribedTo = (username?: string, ofMailbox?: string) =>
  Effect.gen(function* () {
    const channel = yield* newMailChannel(username, ofMailbox)
    const { mailWebhook } = yield* clientOf(username ?? "acme-admin")
    const { folders } = yield* mailWebhook.subscribeMail({ path: { id: channel.channelID } })
    const [inbox] = folders
    if (inbox === undefined) return yield* Effect.dieMessage("subscribe made no inbox")
    yield* settled(channel.channelID, channel.customerID)
    return { ...channel, folderID: inbox.folderID }
  })

export const subscribedChannel = subscribedTo()

/** What the provider keeps for a mailbox. */
export const subscriptionsOf = (address: string) =>
  Effect.flatMap(GraphServer, ({ subscriptions }) =>
    Effect.map(
      subscriptions,
      Arr.filter(({ resource }) => resource.includes(`/${address}/`))
    )
  )

export const folderOf = (folderID: ChannelFolderID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channelFolders }) =>
    channelFolders.getChannelFolder({ path: { id: folderID } })
  )

export const ticketsOf = (channelID: ChannelID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) =>
    Effect.map(
      tickets.listTickets({ urlParams: { channelIDs: [channelID], sortBy: "ticketID", pageSize: 200 } }),
      ({ items }) => items
    )
  )

export const messagesOf = (ticketID: TicketID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    Effect.map(
      ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID, sortBy: "messageID", pageSize: 200 } }),
      ({ items }) => items
    )
  )

const ticketCountOf = (channelID: ChannelID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) =>
    Effect.map(
      tickets.listTickets({ urlParams: { channelIDs: [channelID], pageSize: 1 } }),
      ({ totalCount }) => totalCount
    )
  )

/** Waits until the channel has this many tickets; returns up to 200 of them. */
export const ticketsArrive = (channelID: ChannelID, number: number) =>
  Effect.zipRight(
    eventually(ticketCountOf(channelID), (count) => count >= number),
    ticketsOf(channelID)
  )

/** A folder of a channel, named after what it is at the provider. */
export const folderAt = (channelID: ChannelID, type: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channelFolders }) =>
    channelFolders.createChannelFolder({ payload: { channelID, name: type, type } })
  )

/** Imports all folders of a channel. */
export const importAll = (channelID: ChannelID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channels }) => channels.importEmails({ path: { id: channelID } }))
