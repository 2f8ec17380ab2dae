import { Effect, Layer, Option } from "effect"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import type { JobKind } from "../platform/queue/JobKind.ts"
import { Jobs, type WantedJob } from "../platform/queue/Jobs.ts"
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
import { renewedBefore, Subscriptions } from "./Subscriptions.ts"
import { WaitingMailsRepo } from "./WaitingMailsRepo.ts"

/** Keeps subscriptions alive, ends unwanted ones, and looks after folders without notifications and set-aside mail. */
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
    const waiting = yield* WaitingMailsRepo

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
        // Another channel of the mailbox uses the subscription. It is renewed all the same: an earlier attempt may have
        // broken off after the provider had removed it.
        for (const folder of holders) {
          const renewal = { folderID: folder.folderID, reason: "Expiring" } as const
          yield* jobs.enqueue(renewSubscription, folder.customerID, renewal, folderKey(folder.folderID))
        }
        if (holders.length > 0) return
        const channel = yield* channels.findEvenDeleted(customerID, channelID)
        if (Option.isNone(channel)) return
        // Without credentials the provider cannot be asked; the subscription expires by itself within days.
        const mailbox = yield* Effect.option(mailboxes.of(customerID, channel.value))
        if (Option.isNone(mailbox)) return
        yield* graph.unsubscribe(mailbox.value, subscriptionID)
        // A folder that has adopted the subscription in the meantime gets a new one.
        for (const folder of yield* holding) {
          const open = yield* folders.open(folder.customerID, folder.folderID)
          if (Option.isSome(open)) yield* subscriptions.startAnew(open.value)
        }
      })
    )

    /** Leaves out what an earlier round began: its jobs would pile up while the provider is slow or away. */
    const enqueueNew = <P, E>(kind: JobKind<P, E>, wanted: ReadonlyArray<WantedJob<NoInfer<P>>>) =>
      Effect.flatMap(jobs.withoutOpen(kind, wanted), (left) => jobs.enqueueAll(kind, left))

    const renewals = Effect.gen(function* () {
      // Folders without a subscription get one.
      const expiring = yield* repo.expiring(renewedBefore)
      yield* enqueueNew(
        renewSubscription,
        expiring.map(({ customerID, folderID }) => ({
          customerID,
          payload: { folderID, reason: "Expiring" } as const,
          key: folderKey(folderID)
        }))
      )
    })
    yield* enqueueOnOneNode("Mail subscription renewals", 15, renewals)

    // The cause may be gone by now, for instance a file store that was away for a while.
    const left = Effect.gen(function* () {
      const again = [...(yield* failedMails.dueAgain), ...(yield* waiting.overdue)]
      yield* enqueueNew(
        importMessage,
        again.map(({ customerID, folderID, messageID }) => ({
          customerID,
          payload: { folderID, messageID },
          key: messageKey(folderID, messageID)
        }))
      )
    })
    yield* enqueueOnOneNode("Set-aside mail", 60, left)

    const catchUps = Effect.flatMap(repo.retrieving, (folders) => enqueueNew(importFolder, folders.map(readingOf)))
    yield* enqueueOnOneNode("Mail catch-up", 15, catchUps)
  })
)
