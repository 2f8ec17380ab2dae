import { Context, Effect, Layer, Option } from "effect"
import type { BadRequest } from "../../schema/Errors.ts"
import type { ChannelFolderID, CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { HeldSubscriptionsRepo } from "./HeldSubscriptionsRepo.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { type MailFolder, MailFoldersRepo } from "./MailFoldersRepo.ts"
import { type Mailbox, MailGraph, MailProblem } from "./MailGraph.ts"
import { removeSubscription } from "./MailJobs.ts"

/** A folder together with its mailbox. */
export interface OpenFolder {
  readonly folder: MailFolder
  readonly mailbox: Mailbox
}

const sameAsAnother = ({ folder: { name } }: OpenFolder) => {
  const message = `${name} leads to the same folder at the mail provider as another folder of the channel`
  return new MailProblem({ reason: "Refused", message })
}

/** What was found may be the wrong place by now: the folder is to be read again, and soon. */
const changedMeanwhile = ({ folder: { name } }: OpenFolder) =>
  new MailProblem({
    reason: "Unavailable",
    message: `${name} was changed while it was being looked up at the mail provider`,
    retryAfterSeconds: 1
  })

const wellKnown: Readonly<Record<string, string>> = {
  inbox: "inbox",
  sent: "sentitems",
  "sent items": "sentitems",
  drafts: "drafts",
  archive: "archive",
  junk: "junkemail",
  deleted: "deleteditems"
}

/** Finds folders at the mail provider. */
export class MailFolders extends Context.Tag("casework/MailFolders")<
  MailFolders,
  {
    /** None when the folder or its channel is gone. */
    readonly open: (
      customerID: CustomerID,
      folderID: ChannelFolderID
    ) => Effect.Effect<Option.Option<OpenFolder>, BadRequest>
    /**
     * The folder's id at the provider; looked up the first time, by type or else by name. Fails if the folder is changed
     * meanwhile: the work begins again with what it is now.
     */
    readonly externalID: (open: OpenFolder) => Effect.Effect<string, MailProblem>
    /**
     * Finds a folder that the provider no longer knows, as after a mailbox was restored, by its type. None when the
     * type still leads to the old place, or was not what led there: a folder that somebody named by its id may be of
     * any type, and its place is not to be guessed.
     */
    readonly findAnew: (open: OpenFolder) => Effect.Effect<Option.Option<OpenFolder>, MailProblem>
  }
>() {
  static readonly layer = Layer.effect(
    MailFolders,
    Effect.gen(function* () {
      const inTransaction = yield* InTransaction
      const jobs = yield* Jobs
      const held = yield* HeldSubscriptionsRepo
      const repo = yield* MailFoldersRepo
      const channels = yield* ChannelsRepo
      const mailboxes = yield* Mailboxes
      const graph = yield* MailGraph

      const lookUp = fn("MailFolders.lookUp")(function* ({ folder, mailbox }: OpenFolder) {
        const known = wellKnown[folder.type.toLowerCase()]
        if (known !== undefined) return { id: (yield* graph.folder(mailbox, known)).id, byType: true }
        const found = yield* graph.findFolder(mailbox, folder.name, folder.parentExternalID)
        if (Option.isSome(found)) return { id: found.value.id, byType: false }
        const message = `The mailbox ${mailbox.address} has no folder named ${folder.name}`
        return yield* new MailProblem({ reason: "Missing", message })
      })

      /** Also ends the subscription to the old place. */
      const relocate = fn("MailFolders.relocate")(function* (
        { channelID, customerID, folderID }: MailFolder,
        place: { readonly from: string; readonly to: string }
      ) {
        if (!(yield* repo.relocate(customerID, folderID, place))) return
        const released = yield* held.release(customerID, folderID)
        if (Option.isNone(released)) return
        yield* jobs.enqueue(removeSubscription, customerID, { channelID, subscriptionID: released.value })
      }, inTransaction)

      return {
        findAnew: fn("MailFolders.findAnew")(function* (open) {
          const { customerID, externalFolderID: from, folderID, isLocatedByType, type } = open.folder
          const known = wellKnown[type.toLowerCase()]
          if (known === undefined || from === null || !isLocatedByType) return Option.none()
          const { id: to } = yield* graph.folder(open.mailbox, known)
          if (to === from) return Option.none()
          yield* Effect.catchTag(relocate(open.folder, { from, to }), "Duplicate", () => sameAsAnother(open))
          return Option.map(yield* repo.find(customerID, folderID), (folder) => ({ ...open, folder }))
        }),
        open: fn("MailFolders.open")(function* (customerID, folderID) {
          const folder = yield* repo.find(customerID, folderID)
          if (Option.isNone(folder)) return Option.none()
          const channel = yield* channels.find(customerID, folder.value.channelID)
          if (Option.isNone(channel)) return Option.none()
          return Option.some({ folder: folder.value, mailbox: yield* mailboxes.of(customerID, channel.value) })
        }),
        externalID: fn("MailFolders.externalID")(function* (open) {
          const { folder, mailbox } = open
          if (folder.externalFolderID !== null) return folder.externalFolderID
          const found = yield* lookUp(open)
          const isThere = yield* repo
            .locate(folder, { ...found, mailbox: mailbox.address })
            .pipe(Effect.catchTag("Duplicate", () => sameAsAnother(open)))
          return isThere ? found.id : yield* changedMeanwhile(open)
        })
      }
    })
  )
}
