import { randomBytes } from "node:crypto"
import { Context, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { WatchedFolder } from "../channels/FolderSubscriptions.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { readSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { failureKind } from "./FailureKind.ts"
import type { GraphSubscription } from "./GraphShapes.ts"
import { HeldSubscriptionsRepo } from "./HeldSubscriptionsRepo.ts"
import { MailFolders, type OpenFolder } from "./MailFolders.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { type Mailbox, MailGraph, MailProblem } from "./MailGraph.ts"
import { folderKey, importFolder, removeSubscription } from "./MailJobs.ts"
import { messagesOf } from "./MicrosoftGraph.ts"

const lifetime = 6 * 24 * 3600 * 1000

/** A subscription that expires sooner than this is renewed. */
export const renewedBefore = Duration.hours(48)

export const clientStatePlace = (customerID: number) => ({
  table: "channel_folder",
  column: "client_state",
  customerID
})

const soonAgain = Schedule.jittered(Schedule.exponential("50 millis")).pipe(Schedule.intersect(Schedule.recurs(5)))

const expiry = () => new Date(Date.now() + lifetime)

const same = (left: string | null, right: string) =>
  left?.replace(/^\/+/, "").toLowerCase() === right.replace(/^\/+/, "").toLowerCase()

/** Manages the provider's notifications about new mail in a folder. */
export class Subscriptions extends Context.Tag("casework/Subscriptions")<
  Subscriptions,
  {
    /** Creates a subscription or continues the existing one. Then catches up with mail that came meanwhile. */
    readonly start: (open: OpenFolder) => Effect.Effect<void, MailProblem>
    /** Renews the subscription, or creates a new one when it no longer exists. */
    readonly renew: (open: OpenFolder, isReauthorization: boolean) => Effect.Effect<void, MailProblem>
    readonly startAnew: (open: OpenFolder) => Effect.Effect<void, MailProblem>
    /** Forgets the subscriptions at once; a job ends them at the provider. Call it in the transaction of the cause. */
    readonly end: (folders: ReadonlyArray<WatchedFolder>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const graph = yield* MailGraph
  const folders = yield* MailFolders
  const repo = yield* MailFoldersRepo
  const held = yield* HeldSubscriptionsRepo
  const secrets = yield* Secrets
  const jobs = yield* Jobs
  const { baseUrl } = yield* Settings
  const notificationUrl = `${baseUrl}/api/mailwebhook`

  /**
   * The clientState that the folder's notifications must carry. Stored before it is used: if the provider's response is
   * lost, its notifications are still recognised.
   */
  const agree = fn("Subscriptions.agree")(function* ({ customerID, folderID }: MailFolder) {
    const place = clientStatePlace(customerID)
    const fresh = secrets.encrypt(place, randomBytes(32).toString("base64url"))
    const stored = yield* held.agreeOn(customerID, folderID, fresh)
    return { word: yield* secrets.decrypt(place, stored), isFresh: stored === fresh }
  })
  type Agreed = Effect.Effect.Success<ReturnType<typeof agree>>

  const catchUp = ({ customerID, folderID }: MailFolder) =>
    jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID))

  const subscribe = fn("Subscriptions.subscribe")(function* (open: OpenFolder, externalID: string, { word }: Agreed) {
    const { expirationDateTime, id } = yield* graph.subscribe(open.mailbox, {
      folderID: externalID,
      notificationUrl,
      clientState: word,
      expires: expiry()
    })
    const { channelID, customerID, folderID, retrieves, subscriptionID } = open.folder
    const change = {
      externalID,
      retrieves,
      from: subscriptionID,
      to: id,
      expires: DateTime.toDate(expirationDateTime)
    }
    yield* held.change(customerID, folderID, change).pipe(
      Effect.flatMap((isMine) =>
        isMine ? catchUp(open.folder) : jobs.enqueue(removeSubscription, customerID, { channelID, subscriptionID: id })
      ),
      inTransaction
    )
  })

  const twinOf = fn("Subscriptions.twinOf")(function* (mailbox: Mailbox, externalID: string) {
    const all = yield* graph.subscriptions(mailbox)
    const resource = messagesOf(mailbox.address, externalID)
    const twin = all.find((one) => same(one.resource, resource) && same(one.notificationUrl, notificationUrl))
    if (twin !== undefined) return twin
    const message = "The mail provider reports an existing subscription but does not list it"
    return yield* new MailProblem({ reason: "Missing", message })
  })

  /** Adopts an existing subscription, together with its clientState if that is known. */
  const adopt = fn("Subscriptions.adopt")(function* (
    open: OpenFolder,
    externalID: string,
    twin: GraphSubscription,
    known: string | null,
    agreed: Agreed
  ) {
    const { channelID, customerID, folderID, retrieves, subscriptionID } = open.folder
    const encrypted = (word: string | null) =>
      word === null ? null : secrets.encrypt(clientStatePlace(customerID), word)
    const remove = (id: string) => jobs.enqueue(removeSubscription, customerID, { channelID, subscriptionID: id })
    const hold = Effect.gen(function* () {
      const clientState = encrypted(twin.clientState ?? known)
      const taken = yield* held.hold(customerID, folderID, {
        subscriptionID: twin.id,
        externalID,
        clientState,
        retrieves
      })
      if (Option.isNone(taken)) yield* remove(twin.id)
      // If several were created at the same moment, the folder may already hold one, which is then superfluous.
      else if (taken.value.before !== null && taken.value.before !== twin.id) yield* remove(taken.value.before)
      return taken
    })
    // Held before it is renewed: a job that is about to remove it sees that, or the renewal sees that it is gone.
    const taken = yield* hold.pipe(inTransaction)
    if (Option.isNone(taken)) return
    const { before } = taken.value
    const { expirationDateTime } = yield* graph
      .renew(open.mailbox, twin.id, expiry())
      // The next subscription is created with the agreed clientState.
      .pipe(
        Effect.tapError(() =>
          held.letGo(customerID, folderID, {
            subscriptionID: twin.id,
            before: before === twin.id ? subscriptionID : before,
            clientState: encrypted(agreed.word)
          })
        )
      )
    yield* held
      .noteExpiry(customerID, folderID, { subscriptionID: twin.id, expires: DateTime.toDate(expirationDateTime) })
      .pipe(Effect.zipRight(catchUp(open.folder)), inTransaction)
  })

  /** The subscription exists already: another channel of the mailbox has created it, or this one did earlier. */
  const takeOver = fn("Subscriptions.takeOver")(function* (open: OpenFolder, externalID: string, agreed: Agreed) {
    const twin = yield* twinOf(open.mailbox, externalID)
    const other = (yield* repo.holding(twin.id)).find(({ folderID }) => folderID !== open.folder.folderID)
    if (other !== undefined) {
      const word = yield* readSecret(secrets, clientStatePlace(other.customerID), other.clientState)
      return yield* adopt(open, externalID, twin, word, agreed)
    }
    // A subscription that was created without our clientState does not carry it.
    if (!(yield* held.isEnding(twin.id)))
      return yield* adopt(open, externalID, twin, agreed.isFresh ? null : agreed.word, agreed)
    // The subscription was ended and its removal is pending: if it were adopted now, that would remove it later.
    yield* graph.unsubscribe(open.mailbox, twin.id)
    return yield* subscribe(open, externalID, agreed)
  })

  const createAt = fn("Subscriptions.createAt")(function* (open: OpenFolder) {
    const externalID = yield* folders.externalID(open)
    const agreed = yield* agree(open.folder)
    yield* subscribe(open, externalID, agreed).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "Exists",
        () => takeOver(open, externalID, agreed)
      ),
      // The subscription may have disappeared or reappeared meanwhile: other nodes create and remove some at the same
      // time.
      Effect.retry({ schedule: soonAgain, while: ({ reason }) => reason === "Missing" || reason === "Exists" })
    )
  })

  /** A folder that the provider no longer knows may have moved. */
  const create = (open: OpenFolder) =>
    Effect.catchIf(
      createAt(open),
      ({ reason }) => reason === "Missing",
      (problem) =>
        Effect.flatMap(folders.findAnew(open), Option.match({ onNone: () => Effect.fail(problem), onSome: createAt }))
    )

  /** Failures are ignored: the renewal that follows shows whether the subscription still exists. */
  const reauthorize = (mailbox: Mailbox, subscriptionID: string) =>
    graph.reauthorize(mailbox, subscriptionID).pipe(
      Effect.tapErrorCause((cause) =>
        Effect.logWarning("a subscription could not be reauthorised", failureKind(cause))
      ),
      Effect.ignore
    )

  const renew = fn("Subscriptions.renew")(function* (open: OpenFolder, isReauthorization: boolean) {
    const { subscriptionID } = open.folder
    if (subscriptionID === null) return yield* create(open)
    if (isReauthorization) yield* reauthorize(open.mailbox, subscriptionID)
    const renewed = yield* graph.renew(open.mailbox, subscriptionID, expiry()).pipe(
      Effect.map(({ expirationDateTime }) => DateTime.toDate(expirationDateTime)),
      Effect.catchIf(
        ({ reason }) => reason === "Missing",
        () => Effect.succeed(null)
      )
    )
    if (renewed === null) return yield* create(open)
    const { customerID, folderID } = open.folder
    yield* held.noteExpiry(customerID, folderID, { subscriptionID, expires: renewed })
  })

  /** Existing mail is not imported: catching up begins now. */
  const begin = ({ folder: { customerID, folderID, retrieves } }: OpenFolder) =>
    retrieves ? Effect.void : repo.readFromNow(customerID, folderID)

  return Subscriptions.of({
    start: fn("Subscriptions.start")(function* (open) {
      yield* begin(open)
      yield* renew(open, false)
    }),
    renew,
    startAnew: create,
    end: fn("Subscriptions.end")(function* (ended) {
      for (const { channelID, customerID, folderID } of ended) {
        const released = yield* held.release(customerID, folderID)
        if (Option.isNone(released)) continue
        yield* jobs.enqueue(removeSubscription, customerID, { channelID, subscriptionID: released.value })
      }
    })
  })
})
