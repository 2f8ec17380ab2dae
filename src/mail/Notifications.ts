import { createHash, timingSafeEqual } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Array as Arr, Chunk, Context, Deferred, Effect, Layer, Queue } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Jobs } from "../platform/Jobs.ts"
import { readSecret } from "../platform/Masking.ts"
import { Secrets } from "../platform/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { folderKey, importFolder, importMessages, renewSubscription } from "./MailJobs.ts"
import { messageIDOf, type NotificationEntry, namesMessage, placeOf } from "./NotificationEntry.ts"
import { clientStatePlace } from "./Subscriptions.ts"

/** What the provider tells. Only noted, many at a time; all work is done by jobs. */
export class Notifications extends Context.Tag("casework/Notifications")<
  Notifications,
  { readonly receive: (entries: ReadonlyArray<NotificationEntry>) => Effect.Effect<void> }
>() {
  static readonly layer = Layer.scoped(
    Notifications,
    Effect.suspend(() => make)
  )
}

type NotifiedFolder = MailFolder & { readonly emailAddress: string }

interface Accepted {
  readonly folder: NotifiedFolder
  readonly entry: NotificationEntry
}

// So that a burst becomes a few jobs, and each of them a short one.
const mailsOfJob = 50

// Fewer than there are connections to the database: other requests go on beside a burst.
const customersAtOnce = 8

const digest = (text: string) => createHash("sha256").update(text).digest()

const sameText = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))

const lifecycleReasons: Readonly<Record<string, "Reauthorize" | "Removed">> = {
  reauthorizationrequired: "Reauthorize",
  subscriptionremoved: "Removed"
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* MailFoldersRepo
  const secrets = yield* Secrets
  const jobs = yield* Jobs
  const waiting = yield* Queue.unbounded<{
    readonly entries: ReadonlyArray<NotificationEntry>
    readonly noted: Deferred.Deferred<void>
  }>()

  const findFolders = (entries: ReadonlyArray<NotificationEntry>) =>
    repo.findNotified({
      subscriptionIDs: [...new Set(entries.flatMap(({ subscriptionId }) => subscriptionId ?? []))],
      places: entries.flatMap(({ resource }) => placeOf(resource) ?? [])
    })

  /** More than one where several channels stand for the same mailbox. */
  const foldersOf = (entry: NotificationEntry, folders: ReadonlyArray<NotifiedFolder>) => {
    const subscribed = folders.filter(
      ({ subscriptionID }) => subscriptionID !== null && subscriptionID === entry.subscriptionId
    )
    if (subscribed.length > 0) return subscribed
    const place = placeOf(entry.resource)
    return folders.filter(
      ({ emailAddress, externalFolderID }) =>
        externalFolderID === place?.externalFolderID && emailAddress.toLowerCase() === place?.mailbox.toLowerCase()
    )
  }

  /** With the word that was agreed on, where one was. */
  const isGenuine = ({ clientState, customerID }: MailFolder, entry: NotificationEntry) =>
    Effect.map(
      readSecret(secrets, clientStatePlace(customerID), clientState),
      (agreed) => agreed === null || sameText(entry.clientState ?? "", agreed)
    ).pipe(
      // Whoever's it is: the others in the same batch have nothing to do with it.
      Effect.catchAllDefect((defect) => Effect.as(Effect.logError("a clientState cannot be read", defect), false))
    )

  const noteMails = (customerID: CustomerID, accepted: ReadonlyArray<Accepted>) => {
    const mails = accepted.filter(
      ({ entry, folder }) =>
        folder.retrieves &&
        entry.lifecycleEvent === null &&
        entry.changeType?.toLowerCase() === "created" &&
        (placeOf(entry.resource) !== undefined || namesMessage(entry.resource))
    )
    return Effect.forEach(
      [...new Set(mails.map(({ folder }) => folder.folderID))],
      (folderID) => {
        const messageIDs = mails
          .filter(({ folder }) => folder.folderID === folderID)
          .map(({ entry }) => messageIDOf(entry))
        const named = Arr.chunksOf([...new Set(messageIDs.filter((messageID) => messageID !== null))], mailsOfJob)
        return Effect.forEach(named, (some) =>
          jobs.enqueue(importMessages, customerID, { folderID, messageIDs: some })
        ).pipe(
          // One that names no mail says only that there is something new.
          Effect.zipRight(
            Effect.when(jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID)), () =>
              messageIDs.includes(null)
            )
          )
        )
      },
      { discard: true }
    )
  }

  const noteLifecycle = (customerID: CustomerID, accepted: ReadonlyArray<Accepted>) =>
    Effect.forEach(
      accepted.filter(({ folder }) => folder.retrieves),
      ({ entry, folder: { folderID } }) => {
        const event = entry.lifecycleEvent?.toLowerCase() ?? ""
        const reason = lifecycleReasons[event]
        if (reason !== undefined) {
          return jobs.enqueue(renewSubscription, customerID, { folderID, reason }, `${reason} ${folderID}`)
        }
        return event === "missed"
          ? jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID))
          : Effect.void
      },
      { discard: true }
    )

  const noteAll = fn("Notifications.noteAll")(function* (entries: ReadonlyArray<NotificationEntry>) {
    const folders = yield* findFolders(entries)
    const claimed = entries.flatMap(
      (entry): ReadonlyArray<Accepted> => foldersOf(entry, folders).map((folder) => ({ folder, entry }))
    )
    const accepted = yield* Effect.filter(claimed, ({ entry, folder }) => isGenuine(folder, entry))
    const customerIDs = [...new Set(accepted.map(({ folder }) => folder.customerID))]
    yield* Effect.forEach(
      customerIDs,
      (customerID) =>
        Effect.gen(function* () {
          const mine = accepted.filter(({ folder }) => folder.customerID === customerID)
          const folderIDs = [...new Set(mine.map(({ folder }) => folder.folderID))]
          yield* repo.noteNotifications(customerID, folderIDs)
          yield* noteMails(customerID, mine)
          yield* noteLifecycle(customerID, mine)
        }).pipe(sql.withTransaction),
      { concurrency: customersAtOnce, discard: true }
    )
  }, Effect.orDie)

  // In a burst each waits for one write of all, not for a write of its own.
  yield* Queue.takeBetween(waiting, 1, 1000).pipe(
    Effect.flatMap((batch) => {
      const requests = Chunk.toReadonlyArray(batch)
      return Effect.exit(noteAll(Arr.flatMap(requests, ({ entries }) => entries))).pipe(
        Effect.flatMap((exit) => Effect.forEach(requests, ({ noted }) => Deferred.done(noted, exit)))
      )
    }),
    Effect.forever,
    Effect.forkScoped
  )

  return Notifications.of({
    receive: fn("Notifications.receive")(function* (entries) {
      if (entries.length === 0) return
      const noted = yield* Deferred.make<void>()
      yield* Queue.offer(waiting, { entries, noted })
      yield* Deferred.await(noted)
    })
  })
})
