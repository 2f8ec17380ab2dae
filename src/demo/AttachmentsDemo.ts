import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { type CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { BlobStore } from "../files/BlobStore.ts"
import { BlobsRepo } from "../files/BlobsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { DemoCustomer } from "./DemoContent.ts"

/** Attaches a file to a message as if the end user had sent it. */
const makeAttachment = fn("Demo.makeAttachment")(function* (
  customerID: CustomerID,
  messageID: TicketMessageID,
  file: { readonly fileName: string; readonly contentType: string; readonly bytes: Uint8Array }
) {
  const blobs = yield* BlobsRepo
  const blobStore = yield* BlobStore
  const attachments = yield* AttachmentsRepo
  const blobID = yield* blobs.register(customerID, file.bytes.length)
  yield* blobStore.put(customerID, blobID, file.bytes)
  const { contentType, fileName } = file
  return yield* attachments
    .insert(customerID, messageID, { fileName, contentType, isEndUserProvided: true, contentID: null, blobID })
    .pipe(Effect.orDie)
})

const notes: Readonly<Record<string, string>> = {
  "Acme Rentals": "Heating, meter readings\n\nMonday   8:00   41.2\nTuesday  8:00   41.2\nThe radiator stays cold.\n",
  "Globex Support": "Order 2001\n\n2 lamps, one of them arrived broken\nParcel 7 of 9\n",
  "Initech Surveys": "Rooms to visit\n\n1 kitchen\n2 bathroom\n3 living room\n"
}

/** Attaches a file to the first message that an end user wrote. */
export const makeAttachments = fn("Demo.makeAttachments")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const sql = yield* SqlClient.SqlClient
  const first = yield* sql`
    select ticket_message_id as id from ticket_message
    where customer_id = ${customerID} and sender_type = 'EndUser' order by ticket_message_id limit 1`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: TicketMessageID }))))
  )
  const bytes = new TextEncoder().encode(notes[customer.name])
  for (const { id } of first) {
    yield* makeAttachment(customerID, id, { fileName: "notes.txt", contentType: "text/plain", bytes })
  }
})

export const AttachmentsDemoRepos = Layer.mergeAll(AttachmentsRepo.layer, BlobsRepo.layer)
