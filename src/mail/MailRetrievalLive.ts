import { Array as Arr, Effect, Layer, Option, Order } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { ChannelFolder } from "../../schema/ChannelFolders.ts"
import { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { type ImportJob, ImportJobs } from "../../schema/MailWebhook.ts"
import { ChannelFoldersRepo } from "../channels/ChannelFoldersRepo.ts"
import { missingChannel } from "../channels/Channels.ts"
import { ChannelsRepo, type StoredChannel } from "../channels/ChannelsRepo.ts"
import { MailRetrieval } from "../channels/MailRetrieval.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import type { MailProblem } from "./MailGraph.ts"
import { folderKey, importFolder, renewSubscription } from "./MailJobs.ts"
import { Subscriptions } from "./Subscriptions.ts"

const inbox = {
  name: "Inbox",
  type: "Inbox",
  parentFolderID: null,
  externalFolderID: null,
  autoRetrieveEmails: false
}

const refusal = ({ message, reason }: MailProblem): Effect.Effect<never, BadRequest | BadGateway> =>
  reason === "Blocked"
    ? BadRequest.of(message)
    : BadGateway.of(`${message.replace(/\.$/, "")}. Nothing was switched on.`)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const channels = yield* ChannelsRepo
  const channelFolders = yield* ChannelFoldersRepo
  const folders = yield* MailFoldersRepo
  const mailboxes = yield* Mailboxes
  const subscriptions = yield* Subscriptions
  const jobs = yield* Jobs

  const findChannel = (customerID: CustomerID, channelID: ChannelID) =>
    channels.find(customerID, channelID).pipe(orNotFound(missingChannel(channelID)))

  /** The folders of a channel; creates its inbox when it has none. */
  const foldersOf = fn("MailRetrieval.foldersOf")(function* (customerID: CustomerID, channelID: ChannelID) {
    const known = yield* folders.ofChannel(customerID, channelID)
    if (known.length > 0) return known
    // The lock makes concurrent requests use the same inbox.
    yield* channels.findForUpdate(customerID, channelID)
    if ((yield* folders.ofChannel(customerID, channelID)).length === 0) {
      yield* channelFolders.insert(customerID, channelID, inbox).pipe(Effect.catchTag("Duplicate", Effect.die))
    }
    return yield* folders.ofChannel(customerID, channelID)
  }, inTransaction)

  const shown = fn("MailRetrieval.shown")(function* (customerID: CustomerID, channelID: ChannelID) {
    const channel = yield* channels.find(customerID, channelID)
    const all = yield* channelFolders.list(customerID, channelID)
    return {
      channelID,
      autoRetrieveEmails: Option.exists(channel, ({ autoRetrieveEmails }) => autoRetrieveEmails),
      folders: all.map((folder) => new ChannelFolder(folder))
    }
  })

  /** Ends the subscriptions of folders that are not switched on by now. */
  const endUnwanted = (customerID: CustomerID, channelID: ChannelID) =>
    Effect.gen(function* () {
      // A concurrent request that is switching them on finishes first, or renews the ended subscriptions afterwards.
      yield* channels.findForUpdate(customerID, channelID)
      const all = yield* folders.ofChannel(customerID, channelID)
      yield* subscriptions.end(all.filter(({ retrieves }) => !retrieves))
    }).pipe(inTransaction)

  /** Renews subscriptions that a concurrent request has ended because it was refused. */
  const renewEnded = fn("MailRetrieval.renewEnded")(function* (customerID: CustomerID, channelID: ChannelID) {
    for (const { folderID, subscriptionID } of yield* folders.ofChannel(customerID, channelID)) {
      if (subscriptionID !== null) continue
      yield* jobs.enqueue(renewSubscription, customerID, { folderID, reason: "Expiring" }, folderKey(folderID))
    }
  })

  /**
   * Takes all folders in the order of their ids, then all jobs in the order of their keys, as every other transaction
   * does.
   */
  const startImports = fn("MailRetrieval.startImports")(function* (
    customerID: CustomerID,
    channelIDs: ReadonlyArray<ChannelID>
  ) {
    const found = yield* Effect.forEach(channelIDs, (channelID) => foldersOf(customerID, channelID))
    const all = Arr.sortWith(found.flat(), ({ folderID }) => folderID, Order.number)
    // Read from the beginning, including mail from before the folder was known.
    yield* Effect.forEach(all, ({ folderID }) =>
      folders.save(customerID, folderID, { deltaLink: null, deltaSince: null })
    )
    const byKey = Order.mapInput(Order.string, ({ folderID }: MailFolder) => folderKey(folderID))
    const started = yield* Effect.forEach(Arr.sort(all, byKey), ({ channelID, folderID }) =>
      Effect.map(
        jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID)),
        (jobID): ImportJob => ({ jobID, channelID, folderID })
      )
    )
    return Arr.sortWith(started, ({ folderID }) => folderID, Order.number)
  })

  const isReady = (customerID: CustomerID) => (channel: StoredChannel) =>
    Effect.isSuccess(mailboxes.of(customerID, channel))

  return MailRetrieval.of({
    subscribe: fn("MailRetrieval.subscribe")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      const channel = yield* findChannel(customerID, channelID)
      const mailbox = yield* mailboxes.of(customerID, channel)
      const all = yield* foldersOf(customerID, channelID)
      const switchOn = Effect.zipRight(
        channelFolders.setRetrieving(customerID, channelID, true),
        renewEnded(customerID, channelID)
      )
      yield* Effect.forEach(all, (folder) => subscriptions.start({ folder, mailbox })).pipe(
        Effect.catchTag("MailProblem", refusal),
        Effect.zipRight(switchOn.pipe(inTransaction)),
        // All folders or none: what was started before a refusal or an interruption is ended again.
        Effect.onError(() => endUnwanted(customerID, channelID))
      )
      return yield* shown(customerID, channelID)
    }),

    unsubscribe: fn("MailRetrieval.unsubscribe")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      yield* findChannel(customerID, channelID)
      yield* channelFolders.setRetrieving(customerID, channelID, false)
      yield* subscriptions.end(yield* folders.ofChannel(customerID, channelID))
      return yield* shown(customerID, channelID)
    }, inTransaction),

    importChannel: fn("MailRetrieval.importChannel")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      const channel = yield* findChannel(customerID, channelID)
      yield* mailboxes.of(customerID, channel)
      return new ImportJobs({ jobs: yield* startImports(customerID, [channelID]) })
    }, inTransaction),

    importAll: fn("MailRetrieval.importAll")(function* () {
      const { customerID } = yield* CurrentRep
      const ready = yield* Effect.filter(yield* channels.list(customerID), isReady(customerID))
      const channelIDs = ready.map(({ channelID }) => channelID)
      return new ImportJobs({ jobs: yield* startImports(customerID, channelIDs) })
    }, inTransaction)
  })
})

export const MailRetrievalLive = Layer.effect(MailRetrieval, make)
