import { Effect, type Stream } from "effect"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { Blobs } from "../files/Blobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"

export interface AnswerFile {
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array>
}

/** The files of an answer. Their bytes are read when they are sent, never all at once. */
export const makeAnswerFiles = Effect.gen(function* () {
  const attachments = yield* AttachmentsRepo
  const blobs = yield* Blobs
  return fn("AnswerFiles.of")(function* (customerID: CustomerID, ticketMessageID: TicketMessageID) {
    const files = yield* attachments.listFiles(customerID, ticketMessageID)
    return files.map(({ blobID, ...file }): AnswerFile => ({ ...file, bytes: blobs.open(customerID, blobID) }))
  })
})
