import { Context, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { GraphAttachment } from "./GraphShapes.ts"
import { type Mailbox, MailGraph, type MailProblem } from "./MailGraph.ts"

// The provider counts a little more than the bytes of a file.
const roundedUp = 64 * 1024

/** A file of a mail whose bytes are kept already. */
export interface KeptFile {
  readonly blobID: BlobID
  readonly fileName: string
  readonly contentType: string
  /** By which name the HTML of the mail shows it. */
  readonly contentID: string | null
}

/** How many bytes a file of a mail may have to be brought over. */
export class LargestMailFile extends Context.Reference<LargestMailFile>()("casework/LargestMailFile", {
  defaultValue: () => 150 * 1024 * 1024
}) {}

const kindOf = (attachment: GraphAttachment) => attachment["@odata.type"]?.replace(/^#?microsoft\.graph\./i, "") ?? ""

const plainType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** A name for a file: without folders and control characters. */
const nameOf = ({ name }: GraphAttachment, ending: string) => {
  const cleaned = [...(name ?? "").toWellFormed()]
    .filter((character) => character >= " " && character !== "\u007f")
    .join("")
    .replace(/[/\\]/g, "_")
    .trim()
    .slice(0, 250)
  return cleaned === "" ? `attachment${ending}` : cleaned
}

const describe = (attachment: GraphAttachment) => {
  if (kindOf(attachment) === "itemAttachment") {
    const name = nameOf(attachment, ".eml")
    return { fileName: /\.eml$/i.test(name) ? name : `${name}.eml`, contentType: "message/rfc822" }
  }
  const given = attachment.contentType?.split(";")[0]?.trim().toLowerCase() ?? ""
  return { fileName: nameOf(attachment, ""), contentType: plainType.test(given) ? given : "application/octet-stream" }
}

/** What a person reads in place of a file that is only pointed to. */
const linkOf = (attachment: GraphAttachment) =>
  [nameOf(attachment, ""), attachment.sourceUrl].filter((part) => part !== null).join(": ")

/** What a person reads in place of a file that stays where it is. */
const leftOf = (attachment: GraphAttachment, largest: number) =>
  `${describe(attachment).fileName}: larger than ${largest / 1024 / 1024} MiB, and to be found in the mailbox only`

/** Brings the files of a mail over, one after the other, without ever holding one whole. */
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

      /** The file, or what to say in its place. The provider's word on its size spares fetching it for nothing. */
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
