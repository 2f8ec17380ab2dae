import { Array as Arr, Cause, Chunk, Context, Deferred, Effect, Exit, Layer, Option, Predicate, Queue } from "effect"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { readSecret } from "../platform/secrets/Masking.ts"
import { sameText } from "../platform/secrets/SameText.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { importFolder, importMessages, readingOf, renewSubscription } from "./MailJobs.ts"
import { messageIDOf, type NotificationEntry, type NotifiedPlace, namesMessage, placeOf } from "./NotificationEntry.ts"
import { clientStatePlace } from "./Subscriptions.ts"

/** Receives the provider's notifications. They are only noted, many at a time; jobs do all the work. */
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

// Turns a burst into a few jobs, each of them short.
const mailsOfJob = 50

// Fewer than the database has connections: other requests still get one during a burst.
const customersAtOnce = 8

const lifecycleReasons: ReadonlyMap<string, "Reauthorize" | "Removed"> = new Map([
  ["reauthorizationrequired", "Reauthorize"],
  ["subscriptionremoved", "Removed"]
])

/** Finds several folders where several channels use the same mailbox. */
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

/** Import jobs for the named mails, with a few mails each. */
const importsOf = (accepted: ReadonlyArray<Accepted>) =>
  Object.values(Arr.groupBy(accepted.filter(isNewMail), ({ folder }) => String(folder.folderID))).flatMap((mails) => {
    const { customerID, folderID } = mails[0].folder
    const named = new Set(mails.map(({ entry }) => messageIDOf(entry)))
    return Arr.chunksOf(Arr.filter(named, Predicate.isNotNull), mailsOfJob).map((messageIDs) => ({
      customerID,
      payload: { folderID, messageIDs }
    }))
  })

/** A notification that names no mail, or reports missed ones, makes the whole folder be read. */
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
  const inTransaction = yield* InTransaction
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

  /** Whether the entry carries the agreed clientState; always true where none was agreed on. */
  const isGenuine = ({ clientState, customerID }: MailFolder, entry: NotificationEntry) =>
    Effect.map(
      readSecret(secrets, clientStatePlace(customerID), clientState),
      (agreed) => agreed === null || sameText(entry.clientState ?? "", agreed)
    ).pipe(
      // A clientState that cannot be decrypted must not fail the rest of the batch.
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError("a clientState cannot be read", Cause.die(defect)), false)
      )
    )

  /** Updates the folders before enqueuing, in the same lock order as every other transaction that does both. */
  const noteTogether = (accepted: ReadonlyArray<Accepted>) =>
    repo
      .noteNotifications([...new Map(accepted.map(({ folder }) => [folder.folderID, folder])).values()])
      .pipe(
        Effect.zipRight(jobs.enqueueAll(importMessages, importsOf(accepted))),
        Effect.zipRight(jobs.enqueueAll(renewSubscription, renewalsOf(accepted))),
        Effect.zipRight(jobs.enqueueAll(importFolder, readingsOf(accepted))),
        inTransaction
      )

  /** Notes each customer's notifications separately when noting them together has failed. */
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
        Effect.zipRight(
          Effect.logWarning("could not record notifications together; recording them one customer at a time", cause),
          noteApart(accepted)
        )
      )
    )
  }, Effect.orDie)

  // In a burst all requests wait for one shared write instead of one write each.
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
