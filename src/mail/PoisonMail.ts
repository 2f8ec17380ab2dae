import { Context, Effect, Layer, type Option } from "effect"
import { Blobs } from "../files/Blobs.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mails } from "../platform/telemetry/ServiceMetrics.ts"
import { type FailedMail, FailedMailsRepo } from "./FailedMailsRepo.ts"
import type { OpenFolder } from "./MailFolders.ts"
import { MailGraph } from "./MailGraph.ts"
import { LongestFetch } from "./MailImport.ts"
import { importMessage, messageKey } from "./MailJobs.ts"

const largestSource = 160 * 1024 * 1024

/**
 * Mail that cannot be imported: it is stored with its error, tried again and finally set aside. Nothing is dropped. Jobs
 * are locked before their mails, as an erasure does.
 */
export class PoisonMail extends Context.Tag("casework/PoisonMail")<
  PoisonMail,
  {
    /** Gives the mail a job of its own, so that the rest of the folder goes on. */
    readonly postpone: (open: OpenFolder, messageID: string, error: string, claim: JobClaim) => Effect.Effect<void>
    /** Records another failed attempt. */
    readonly record: (open: OpenFolder, messageID: string, error: string, claim: JobClaim) => Effect.Effect<void>
    /**
     * Sets the mail aside after its last attempt and stores its source for a person to look at, if it is still
     * accessible.
     */
    readonly setAside: (
      mail: Omit<FailedMail, "attempts">,
      open: Option.Option<OpenFolder>,
      claim: JobClaim
    ) => Effect.Effect<void>
    /** Forgets failed mails that were imported another way, once the whole folder has been read. */
    readonly forgetImported: (open: OpenFolder) => Effect.Effect<void>
    readonly forget: (open: OpenFolder, messageID: string) => Effect.Effect<void>
    /**
     * Handles a mail that has left the mailbox. A stored source is all that remains, and stays for a person to look at.
     */
    readonly outlive: (open: OpenFolder, messageID: string, claim: JobClaim) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    PoisonMail,
    Effect.gen(function* () {
      const inTransaction = yield* InTransaction
      const repo = yield* FailedMailsRepo
      const graph = yield* MailGraph
      const blobs = yield* Blobs
      const jobs = yield* Jobs
      const longest = yield* LongestFetch

      const note = ({ folder: { customerID, folderID } }: OpenFolder, messageID: string, error: string) =>
        repo.record(customerID, folderID, messageID, error)

      const sourceOf = (
        { customerID, messageID }: Pick<FailedMail, "customerID" | "messageID">,
        open: Option.Option<OpenFolder>
      ) =>
        Effect.flatMap(open, ({ mailbox }) =>
          blobs.store(customerID, graph.source(mailbox, messageID), largestSource)
        ).pipe(
          Effect.map(({ blobID }) => blobID),
          // A source that never ends must not keep the mail from being set aside.
          Effect.timeout(longest),
          // Whatever fails, for instance a file store that is away, the mail is set aside without its source.
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logWarning("the source of a mail could not be stored", cause), null)
          )
        )

      return {
        postpone: fn("PoisonMail.postpone")(
          function* (open, messageID, error, claim) {
            const { customerID, folderID } = open.folder
            yield* claim.advance({ done: 1, failed: 1 })
            yield* jobs.enqueue(importMessage, customerID, { folderID, messageID }, messageKey(folderID, messageID))
            yield* note(open, messageID, error)
          },
          inTransaction,
          Effect.tap(() => mails.add({ outcome: "postponed" }))
        ),
        record: fn("PoisonMail.record")(function* (open, messageID, error, claim) {
          yield* claim.confirm
          yield* note(open, messageID, error)
        }, inTransaction),
        setAside: fn("PoisonMail.setAside")(function* (mail, open, claim) {
          const source = (yield* repo.hasSource(mail)) ? null : yield* sourceOf(mail, open)
          yield* claim.confirm.pipe(Effect.zipRight(repo.setAside(mail, source)), inTransaction)
          mails.add({ outcome: "set_aside" })
        }),
        forgetImported: fn("PoisonMail.forgetImported")(function* ({ folder: { customerID, folderID } }) {
          yield* repo.deleteImported(customerID, folderID)
        }),
        forget: fn("PoisonMail.forget")(function* ({ folder: { customerID, folderID } }, messageID) {
          yield* repo.delete(customerID, folderID, messageID)
        }),
        outlive: fn("PoisonMail.outlive")(function* ({ folder: { customerID, folderID } }, messageID, claim) {
          yield* claim.confirm
          const isKept = yield* repo.keepLast(customerID, folderID, messageID)
          if (!isKept) yield* repo.delete(customerID, folderID, messageID)
          yield* claim.advance(isKept ? { done: 1, failed: 1 } : { done: 1, skipped: 1 })
        }, inTransaction)
      }
    })
  )
}
