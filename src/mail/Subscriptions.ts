import { randomBytes } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Context, DateTime, Effect, Layer } from "effect"
import { Jobs } from "../platform/Jobs.ts"
import { readSecret } from "../platform/Masking.ts"
import { Secrets } from "../platform/Secrets.ts"
import { Settings } from "../platform/Settings.ts"
import type { GraphSubscription } from "./GraphShapes.ts"
import { MailFolders, type OpenFolder } from "./MailFolders.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { MailGraph, MailProblem } from "./MailGraph.ts"
import { folderKey, importFolder, removeSubscription } from "./MailJobs.ts"
import { messagesOf } from "./MicrosoftGraph.ts"

const lifetime = 6 * 24 * 3600 * 1000

/** A subscription that ends sooner than this is renewed. */
export const renewedBefore = 48 * 3600 * 1000

export const clientStatePlace = (customerID: number) => ({
  table: "channel_folder",
  column: "client_state",
  customerID
})

const expiry = () => new Date(Date.now() + lifetime)

const same = (left: string | null, right: string) =>
  left?.replace(/^\/+/, "").toLowerCase() === right.replace(/^\/+/, "").toLowerCase()

/** Whether and how the provider tells about new mail in a folder. */
export class Subscriptions extends Context.Tag("casework/Subscriptions")<
  Subscriptions,
  {
    /** Makes the provider tell, or goes on with what it tells already. Then catches up with what came meanwhile. */
    readonly start: (open: OpenFolder) => Effect.Effect<void, MailProblem>
    /** Later; makes one anew when there is none any more. */
    readonly renew: (open: OpenFolder, isReauthorization: boolean) => Effect.Effect<void, MailProblem>
    readonly startAnew: (open: OpenFolder) => Effect.Effect<void, MailProblem>
    /** Forgets them at once; the provider is told by a job. Belongs into the transaction of the cause. */
    readonly end: (
      folders: ReadonlyArray<Pick<MailFolder, "customerID" | "folderID" | "channelID" | "subscriptionID">>
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const graph = yield* MailGraph
  const folders = yield* MailFolders
  const repo = yield* MailFoldersRepo
  const secrets = yield* Secrets
  const jobs = yield* Jobs
  const { baseUrl } = yield* Settings
  const notificationUrl = `${baseUrl}/api/mailwebhook`

  /** Stored before it is used: should the answer get lost, the notifications are still known. */
  const clientStateOf = Effect.fn("Subscriptions.clientStateOf")(function* ({
    clientState,
    customerID,
    folderID
  }: MailFolder) {
    const place = clientStatePlace(customerID)
    const known = yield* readSecret(secrets, place, clientState)
    if (known !== null) return known
    const made = randomBytes(32).toString("base64url")
    yield* repo.save(customerID, folderID, { clientState: secrets.encrypt(place, made) })
    return made
  })

  /** Somebody asked before us, perhaps we ourselves: what is there is taken over. */
  const adopt = Effect.fn("Subscriptions.adopt")(function* ({ folder, mailbox }: OpenFolder, externalID: string) {
    const all = yield* graph.subscriptions(mailbox)
    const resource = messagesOf(mailbox.address, externalID)
    const twin = all.find((one) => same(one.resource, resource) && same(one.notificationUrl, notificationUrl))
    if (twin === undefined) {
      const message = "The mail provider says that there is a subscription already, and does not show it"
      return yield* new MailProblem({ reason: "Unavailable", message })
    }
    // One that was not made with our word does not carry it.
    if (folder.clientState === null) yield* repo.save(folder.customerID, folder.folderID, { clientState: null })
    return yield* graph.renew(mailbox, twin.id, expiry())
  })

  const keep = ({ folder: { customerID, folderID } }: OpenFolder, { expirationDateTime, id }: GraphSubscription) =>
    repo
      .save(customerID, folderID, {
        subscriptionID: id,
        subscriptionExpires: DateTime.toDate(expirationDateTime),
        lastError: null
      })
      .pipe(
        Effect.zipRight(jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID))),
        sql.withTransaction,
        Effect.orDie
      )

  const create = Effect.fn("Subscriptions.create")(function* (open: OpenFolder) {
    const externalID = yield* folders.externalID(open)
    const clientState = yield* clientStateOf(open.folder)
    const subscription = yield* graph
      .subscribe(open.mailbox, { folderID: externalID, notificationUrl, clientState, expires: expiry() })
      .pipe(
        Effect.catchIf(
          ({ reason }) => reason === "Exists",
          () => adopt(open, externalID)
        )
      )
    yield* keep(open, subscription)
  })

  const renew = Effect.fn("Subscriptions.renew")(function* (open: OpenFolder, isReauthorization: boolean) {
    const { subscriptionID } = open.folder
    if (subscriptionID === null) return yield* create(open)
    if (isReauthorization) yield* Effect.ignore(graph.reauthorize(open.mailbox, subscriptionID))
    const renewed = yield* graph.renew(open.mailbox, subscriptionID, expiry()).pipe(
      Effect.map(({ expirationDateTime }) => DateTime.toDate(expirationDateTime)),
      Effect.catchIf(
        ({ reason }) => reason === "Missing",
        () => Effect.succeed(null)
      )
    )
    if (renewed === null) return yield* create(open)
    yield* repo.save(open.folder.customerID, open.folder.folderID, { subscriptionExpires: renewed })
  })

  /** Mail that is there already stays where it is: catching up begins now. */
  const begin = Effect.fn("Subscriptions.begin")(function* ({ folder }: OpenFolder) {
    if (folder.retrieves) return
    yield* repo.save(folder.customerID, folder.folderID, { deltaLink: null, deltaSince: new Date() })
  })

  return Subscriptions.of({
    start: Effect.fn("Subscriptions.start")(function* (open) {
      yield* begin(open)
      yield* renew(open, false)
    }),
    renew,
    startAnew: create,
    end: Effect.fn("Subscriptions.end")(function* (ended) {
      for (const { channelID, customerID, folderID, subscriptionID } of ended) {
        if (subscriptionID === null) continue
        yield* repo.save(customerID, folderID, { subscriptionID: null, subscriptionExpires: null, clientState: null })
        yield* jobs.enqueue(removeSubscription, customerID, { channelID, subscriptionID })
      }
    })
  })
})
