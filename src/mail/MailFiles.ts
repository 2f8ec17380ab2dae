import { Context, Effect, Layer } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { GraphAttachment } from "./GraphShapes.ts"
import { type Mailbox, MailGraph, type MailProblem } from "./MailGraph.ts"

/** A file of a mail whose bytes are kept already. */
export interface KeptFile {
  readonly blobID: BlobID
  readonly fileName: string
  readonly contentType: string
  /** By which name the HTML of the mail shows it. */
  readonly contentID: string | null
}

const largestFile = 150 * 1024 * 1024

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

      const keep = fn("MailFiles.keep")(function* (
        customerID: CustomerID,
        mailbox: Mailbox,
        messageID: string,
        attachment: GraphAttachment
      ) {
        const bytes = graph.attachmentContent(mailbox, messageID, attachment.id)
        const { blobID } = yield* blobs
          .store(customerID, bytes, largestFile)
          .pipe(Effect.catchTag("PayloadTooLarge", Effect.die))
        const contentID = attachment.contentId?.replace(/^<|>$/g, "") ?? null
        return { blobID, ...describe(attachment), contentID: attachment.isInline === true ? contentID : null }
      })

      return {
        fetch: fn("MailFiles.fetch")(function* (customerID, mailbox, messageID) {
          const attachments = yield* graph.attachments(mailbox, messageID)
          const [links, files] = [
            attachments.filter((attachment) => kindOf(attachment) === "referenceAttachment"),
            attachments.filter((attachment) => kindOf(attachment) !== "referenceAttachment")
          ]
          return {
            files: yield* Effect.forEach(files, (attachment) => keep(customerID, mailbox, messageID, attachment)),
            links: links.map((link) => [nameOf(link, ""), link.sourceUrl].filter((part) => part !== null).join(": "))
          }
        })
      }
    })
  )
}
