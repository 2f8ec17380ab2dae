import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, Multipart, OpenApi } from "@effect/platform"
import { Option, Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Forbidden, NotFound, PayloadTooLarge, UnsupportedMediaType } from "./Errors.ts"
import { idFromString, pathId, TicketMessageAttachmentID, TicketMessageID } from "./Ids.ts"

export class TicketMessageAttachment extends Schema.Class<TicketMessageAttachment>("TicketMessageAttachmentDTO")({
  ticketMessageAttachmentID: TicketMessageAttachmentID,
  messageID: TicketMessageID,
  fileName: Schema.String.annotations({ description: "The original name, without a path and unsafe characters" }),
  contentType: Schema.String.annotations({ description: "The detected type of the content" }),
  createdDateTime: Schema.DateTimeUtc,
  isEndUserProvided: Schema.Boolean,
  isCustomerRepProvided: Schema.Boolean,
  accessToken: Schema.UUID.annotations({ description: "Opens the file at /api/File/{accessToken}, without a login" })
}) {}

export const largestAttachment = 25 * 1024 * 1024

/** The JSON Schema of one file, because the library would describe a list of one. */
const file = Multipart.SingleFileSchema.annotations({ jsonSchema: { type: "string", format: "binary" } })

const Upload = HttpApiSchema.MultipartStream(Schema.Struct({ file }), {
  maxParts: Option.some(10),
  maxFieldSize: 64 * 1024,
  // The file plus the overhead of the form.
  maxTotalSize: Option.some(largestAttachment + 1024 * 1024)
})

const id = pathId(TicketMessageID)

export class TicketMessageAttachmentsApi extends HttpApiGroup.make("ticketMessageAttachments")
  .add(
    HttpApiEndpoint.get("listAttachments")`/ticketMessages/${id}/attachments`
      .addSuccess(Schema.Array(TicketMessageAttachment))
      .addError(Forbidden)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "List the attachments of a message",
          description: "In the order in which they were added. A message of another organisation returns 403."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("uploadAttachment")`/ticketMessages/${id}/attachments`
      .setPayload(Upload)
      .addSuccess(TicketMessageAttachment)
      .addError(Forbidden)
      .addError(NotFound)
      .addError(PayloadTooLarge)
      .addError(UnsupportedMediaType)
      .annotateContext(
        OpenApi.annotations({
          summary: "Attach a file to a message",
          description:
            "multipart/form-data with one file in the field `file`, up to 25 MiB (413), not empty (400). Images, PDF, text (txt, log, ini, conf, cfg, srt, csv, tsv, md, html, xml, svg, json, yaml, ics, vcf, vtt), office documents without macros, ZIP, audio, video and EML are accepted; programs and everything else return 415, whatever the file is called: name, declared type and content must match, and contentType is the detected type of the content. A file uploaded here counts as provided by a representative, even on an end user's message, where it belongs to the answer; end users provide files through the channel."
        })
      )
  )
  .add(
    HttpApiEndpoint.del(
      "deleteAttachment"
    )`/ticketMessages/${id}/attachments/${HttpApiSchema.param("attachmentId", idFromString(TicketMessageAttachmentID))}`
      .addError(Forbidden)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete an attachment",
          description: "Its link stops working at once. An attachment or a message of another organisation returns 403."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Ticket message attachments", description: "Files that belong to messages." })
  ) {}
