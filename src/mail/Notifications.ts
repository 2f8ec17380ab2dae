import { SqlClient } from "@effect/sql"
import { Array as Arr, Cause, Chunk, Context, Deferred, Effect, Exit, Layer, Option, Predicate, Queue } from "effect"
import { readSecret } from "../platform/Masking.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { sameText } from "../platform/SameText.ts"
import { Secrets } from "../platform/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { importFolder, importMessages, readingOf, renewSubscription } from "./MailJobs.ts"
import { messageIDOf, type NotificationEntry, type NotifiedPlace, namesMessage, placeOf } from "./NotificationEntry.ts"
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

const lifecycleReasons: ReadonlyMap<string, "Reauthorize" | "Removed"> = new Map([
  ["reauthorizationrequired", "Reauthorize"],
  ["subscriptionremoved", "Removed"]
])

/** More than one where several channels stand for the same mailbox. */
const makeFoldersOf = (folders: ReadonlyArray<NotifiedFolder>) => {
  const subscription = (subscriptionID: string) => `subscription ${subscriptionID.toLowerCase()}`
  const place = ({ externalFolderID, mailbox }: NotifiedPlace) =>
    JSON.stringify([mailbox.toLowerCase(), externalFolderID])
  const bySubscription = Arr.groupBy(folders, ({ subscriptionID }) => subscription(subscriptionID ?? ""))
  const byPlace = Arr.groupBy(folders, ({ emailAddress, externalFolderID }) =>
    place({ mailbox: emailAddress, externalFolderID: externalFolderID ?? "" })
  )
  return ({ resource, subscriptionId }: NotificationEntry): ReadonlyArray<NotifiedFolder> => {
    const subscribed = subscriptionId ? bySubscription[subscription(subscriptionId)] : undefined
    if (subscribed !== undefined) return subscribed
    const named = placeOf(resource)
    return (named && byPlace[place(named)]) ?? []
  }
}

const isNewMail = ({ entry, folder }: Accepted) =>
  folder.retrieves &&
  entry.lifecycleEvent === null &&
  entry.changeType?.toLowerCase() === "created" &&
  (placeOf(entry.resource) !== undefined || namesMessage(entry.resource))

const lifecycleOf = ({ entry, folder }: Accepted) =>
  folder.retrieves ? (entry.lifecycleEvent?.toLowerCase() ?? "") : ""

/** The mails that are named, a few a job. */
const importsOf = (accepted: ReadonlyArray<Accepted>) =>
  Object.values(Arr.groupBy(accepted.filter(isNewMail), ({ folder }) => String(folder.folderID))).flatMap((mails) => {
    const { customerID, folderID } = mails[0].folder
    const named = new Set(mails.map(({ entry }) => messageIDOf(entry)))
    return Arr.chunksOf(Arr.filter(named, Predicate.isNotNull), mailsOfJob).map((messageIDs) => ({
      customerID,
      payload: { folderID, messageIDs }
    }))
  })

/** One that names no mail, or says that some were missed, says only that there is something new. */
const readingsOf = (accepted: ReadonlyArray<Accepted>) =>
  accepted
    .filter((one) => lifecycleOf(one) === "missed" || (isNewMail(one) && messageIDOf(one.entry) === null))
    .map(({ folder }) => readingOf(folder))

const renewalsOf = (accepted: ReadonlyArray<Accepted>) =>
  accepted.flatMap((one) => {
    const reason = lifecycleReasons.get(lifecycleOf(one))
    const { customerID, folderID } = one.folder
    return reason === undefined ? [] : [{ customerID, payload: { folderID, reason }, key: `${reason} ${folderID}` }]
  })

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
    Effect.map(
      repo.findNotified({
        subscriptionIDs: [...new Set(entries.flatMap(({ subscriptionId }) => subscriptionId ?? []))],
        places: entries.flatMap(({ resource }) => placeOf(resource) ?? [])
      }),
      makeFoldersOf
    )

  /** With the word that was agreed on, where one was. */
  const isGenuine = ({ clientState, customerID }: MailFolder, entry: NotificationEntry) =>
    Effect.map(
      readSecret(secrets, clientStatePlace(customerID), clientState),
      (agreed) => agreed === null || sameText(entry.clientState ?? "", agreed)
    ).pipe(
      // One that cannot be decrypted must not fail the others in the same batch.
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError("a clientState cannot be read", Cause.die(defect)), false)
      )
    )

  /** The folders first, as everybody does who also enqueues for them. */
  const noteTogether = (accepted: ReadonlyArray<Accepted>) =>
    repo
      .noteNotifications([...new Map(accepted.map(({ folder }) => [folder.folderID, folder])).values()])
      .pipe(
        Effect.zipRight(jobs.enqueueAll(importMessages, importsOf(accepted))),
        Effect.zipRight(jobs.enqueueAll(renewSubscription, renewalsOf(accepted))),
        Effect.zipRight(jobs.enqueueAll(importFolder, readingsOf(accepted))),
        sql.withTransaction
      )

  /** Each customer for itself, when one of them makes trouble. */
  const noteApart = (accepted: ReadonlyArray<Accepted>) =>
    Effect.forEach(
      Object.values(Arr.groupBy(accepted, ({ folder }) => String(folder.customerID))),
      (mine) => Effect.exit(noteTogether(mine)),
      { concurrency: customersAtOnce }
    ).pipe(Effect.flatMap((exits) => Option.getOrElse(Exit.all(exits, { parallel: true }), () => Exit.void)))

  const noteAll = fn("Notifications.noteAll")(function* (entries: ReadonlyArray<NotificationEntry>) {
    const foldersOf = yield* findFolders(entries)
    const claimed = entries.flatMap((entry) => foldersOf(entry).map((folder): Accepted => ({ folder, entry })))
    const accepted = yield* Effect.filter(claimed, ({ entry, folder }) => isGenuine(folder, entry))
    if (accepted.length === 0) return
    yield* noteTogether(accepted).pipe(
      Effect.catchAllCause((cause) =>
        Effect.zipRight(Effect.logWarning("notifications are noted one customer at a time", cause), noteApart(accepted))
      )
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
