import { Context, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { cleanFileName } from "../files/FileName.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { GraphAttachment } from "./GraphShapes.ts"
import { type Mailbox, MailGraph, type MailProblem } from "./MailGraph.ts"

// The size that the provider states is a little larger than the file itself.
const roundedUp = 64 * 1024

/** A mail's file whose bytes are already stored. */
export interface KeptFile {
  readonly blobID: BlobID
  readonly fileName: string
  readonly contentType: string
  /** The name by which the mail's HTML refers to it. */
  readonly contentID: string | null
}

/** How large a mail's file may be to be imported. */
export class LargestMailFile extends Context.Reference<LargestMailFile>()("casework/LargestMailFile", {
  defaultValue: () => 150 * 1024 * 1024
}) {}

const kindOf = (attachment: GraphAttachment) => attachment["@odata.type"]?.replace(/^#?microsoft\.graph\./i, "") ?? ""

const plainType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** Cleaned as the name of an upload is; a mail without a name for its file gets one. */
const nameOf = ({ name }: GraphAttachment) => cleanFileName(name?.trim() ? name : "attachment")

const describe = (attachment: GraphAttachment) => {
  if (kindOf(attachment) === "itemAttachment") {
    // The name of a mail is its subject, in which slashes lead to no folder.
    const name = nameOf({ ...attachment, name: (attachment.name ?? "").replace(/[/\\]/g, "_") })
    const fileName = /\.eml$/i.test(name) ? name : cleanFileName(`${name}.eml`)
    return { fileName, contentType: "message/rfc822" }
  }
  const given = attachment.contentType?.split(";")[0]?.trim().toLowerCase() ?? ""
  return { fileName: nameOf(attachment), contentType: plainType.test(given) ? given : "application/octet-stream" }
}

/** The text that replaces a file that the mail only links to. */
const linkOf = (attachment: GraphAttachment) =>
  [nameOf(attachment), attachment.sourceUrl].filter((part) => part !== null).join(": ")

/** The text that replaces a file that stays in the mailbox. */
const leftOf = (attachment: GraphAttachment, largest: number) =>
  `${describe(attachment).fileName}: larger than ${largest / 1024 / 1024} MiB, available only in the mailbox`

/** Imports the files of a mail one by one, without ever holding a whole file in memory. */
export class MailFiles extends Context.Tag("casework/MailFiles")<
  MailFiles,
  {
    readonly fetch: (
      customerID: CustomerID,
      mailbox: Mailbox,
      messageID: string
    ) => Effect.Effect<{ readonly files: ReadonlyArray<KeptFile>; readonly links: ReadonlyArray<string> }, MailProblem>
  }
>() {
  static readonly layer = Layer.effect(
    MailFiles,
    Effect.gen(function* () {
      const graph = yield* MailGraph
      const blobs = yield* Blobs
      const largest = yield* LargestMailFile

      /**
       * Stores the file, or returns the text that replaces it. The size that the provider states saves fetching one
       * that is too large.
       */
      const keep = fn("MailFiles.keep")(function* (
        customerID: CustomerID,
        mailbox: Mailbox,
        messageID: string,
        attachment: GraphAttachment
      ): Effect.fn.Return<KeptFile | string, MailProblem> {
        if (kindOf(attachment) === "referenceAttachment") return linkOf(attachment)
        if ((attachment.size ?? 0) > largest + roundedUp) return leftOf(attachment, largest)
        const bytes = graph.attachmentContent(mailbox, messageID, attachment.id)
        const stored = yield* blobs.store(customerID, bytes, largest).pipe(
          Effect.asSome,
          Effect.catchTag("PayloadTooLarge", () => Effect.succeedNone)
        )
        if (Option.isNone(stored)) return leftOf(attachment, largest)
        const contentID = attachment.contentId?.replace(/^<|>$/g, "") ?? null
        return {
          blobID: stored.value.blobID,
          ...describe(attachment),
          contentID: attachment.isInline === true ? contentID : null
        }
      })

      return {
        fetch: fn("MailFiles.fetch")(function* (customerID, mailbox, messageID) {
          const attachments = yield* graph.attachments(mailbox, messageID)
          const kept = yield* Effect.forEach(attachments, (attachment) =>
            keep(customerID, mailbox, messageID, attachment)
          )
          return {
            files: kept.filter((one) => typeof one !== "string"),
            links: kept.filter((one) => typeof one === "string")
          }
        })
      }
    })
  )
}
