import { Effect, Layer, Option } from "effect"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { enqueueOnOneNode } from "../platform/queue/Periodically.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { comeBack } from "./ComeBack.ts"
import { FailedMailsRepo } from "./FailedMailsRepo.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { MailFolders } from "./MailFolders.ts"
import { MailFoldersRepo } from "./MailFoldersRepo.ts"
import { MailGraph } from "./MailGraph.ts"
import {
  folderKey,
  importFolder,
  importMessage,
  messageKey,
  readingOf,
  removeSubscription,
  renewSubscription
} from "./MailJobs.ts"
import { MailMessagesRepo } from "./MailMessagesRepo.ts"
import { renewedBefore, Subscriptions } from "./Subscriptions.ts"

/**
 * Keeps subscriptions alive, ends those that nobody wants any more, and looks after folders that were told nothing and
 * mail that was set aside.
 */
export const SubscriptionJobs = Layer.scopedDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const folders = yield* MailFolders
    const repo = yield* MailFoldersRepo
    const channels = yield* ChannelsRepo
    const mailboxes = yield* Mailboxes
    const graph = yield* MailGraph
    const subscriptions = yield* Subscriptions
    const failedMails = yield* FailedMailsRepo
    const mails = yield* MailMessagesRepo

    yield* jobs.handle(
      renewSubscription,
      fn("SubscriptionJobs.renew")(function* (customerID, { folderID, reason }) {
        const open = yield* folders.open(customerID, folderID)
        if (Option.isNone(open) || !open.value.folder.retrieves) return
        const renewal =
          reason === "Removed"
            ? subscriptions.startAnew(open.value)
            : subscriptions.renew(open.value, reason === "Reauthorize")
        return yield* renewal.pipe(
          Effect.tapError(({ message }) => repo.save(customerID, folderID, { lastError: message.slice(0, 500) })),
          comeBack
        )
      }),
      (customerID, { folderID }, _claim, reason) =>
        repo.save(customerID, folderID, { lastError: `Given up: ${reason}`.slice(0, 500) })
    )

    yield* jobs.handle(
      removeSubscription,
      fn("SubscriptionJobs.remove")(function* (customerID, { channelID, subscriptionID }) {
        const holding = repo.holding(subscriptionID)
        const holders = yield* holding
        // Another channel of the mailbox is told by it, unless an earlier attempt broke off after the provider had heard it.
        for (const folder of holders) {
          const renewal = { folderID: folder.folderID, reason: "Expiring" } as const
          yield* jobs.enqueue(renewSubscription, folder.customerID, renewal, folderKey(folder.folderID))
        }
        if (holders.length > 0) return
        const channel = yield* channels.findEvenDeleted(customerID, channelID)
        if (Option.isNone(channel)) return
        // Without credentials nobody can be told; it ends by itself within days.
        const mailbox = yield* Effect.option(mailboxes.of(customerID, channel.value))
        if (Option.isNone(mailbox)) return
        yield* graph.unsubscribe(mailbox.value, subscriptionID)
        // Whoever took it over in this very moment gets one anew.
        for (const folder of yield* holding) {
          const open = yield* folders.open(folder.customerID, folder.folderID)
          if (Option.isSome(open)) yield* subscriptions.startAnew(open.value)
        }
      })
    )

    const renewals = Effect.gen(function* () {
      // One that has none yet, or not any more, gets one.
      const expiring = yield* repo.expiring(renewedBefore)
      yield* jobs.enqueueAll(
        renewSubscription,
        expiring.map(({ customerID, folderID }) => ({
          customerID,
          payload: { folderID, reason: "Expiring" } as const,
          key: folderKey(folderID)
        }))
      )
    })
    yield* enqueueOnOneNode("Mail subscription renewals", 15, renewals)

    // What was in the way may be gone, as a store of files that was away for a while.
    const left = Effect.gen(function* () {
      const again = [...(yield* failedMails.dueAgain), ...(yield* mails.overdue)]
      yield* jobs.enqueueAll(
        importMessage,
        again.map(({ customerID, folderID, messageID }) => ({
          customerID,
          payload: { folderID, messageID },
          key: messageKey(folderID, messageID)
        }))
      )
    })
    yield* enqueueOnOneNode("Set-aside mail", 60, left)

    const catchUps = Effect.flatMap(repo.retrieving, (folders) => jobs.enqueueAll(importFolder, folders.map(readingOf)))
    yield* enqueueOnOneNode("Mail catch-up", 15, catchUps)
  })
)
