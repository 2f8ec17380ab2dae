import type { Multipart } from "@effect/platform"
import { Context, Effect, Layer, Option, Ref, Stream } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import {
  BadRequest,
  Forbidden,
  NotFound,
  type PayloadTooLarge,
  type UnsupportedMediaType
} from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageAttachmentID, TicketMessageID } from "../../schema/Ids.ts"
import { largestAttachment, type TicketMessageAttachment } from "../../schema/TicketMessageAttachments.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { Blobs } from "../files/Blobs.ts"
import { checkUpload, type SentFile } from "../files/CheckedUpload.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { lastTransaction } from "../platform/database/LastTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { MessageAccess } from "../ticketMessages/MessageAccess.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"

type Refusal = BadRequest | PayloadTooLarge | UnsupportedMediaType

export class Attachments extends Context.Tag("casework/Attachments")<
  Attachments,
  {
    readonly list: (
      messageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<TicketMessageAttachment>, Forbidden | NotFound, CurrentRep>
    /** Stores the single file of a form. */
    readonly upload: (
      messageID: TicketMessageID,
      form: Stream.Stream<Multipart.Part, Multipart.MultipartError>
    ) => Effect.Effect<TicketMessageAttachment, Refusal | Forbidden | NotFound, CurrentRep>
    readonly delete: (
      messageID: TicketMessageID,
      attachmentID: TicketMessageAttachmentID
    ) => Effect.Effect<void, Forbidden | NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Attachments,
    Effect.suspend(() => make)
  )
}

const noMessage = (messageID: TicketMessageID) => NotFound.of(`There is no ticket message ${messageID}.`)

const noAttachment = (attachmentID: TicketMessageAttachmentID) =>
  NotFound.of(`This ticket message has no attachment ${attachmentID}.`)

const foreign = (attachmentID: TicketMessageAttachmentID) =>
  Forbidden.of(`You have no access to attachment ${attachmentID}.`)

const noFile = BadRequest.at("file", "is required: send one file in the form field named file")

const severalFiles = BadRequest.at("file", "must be given once")

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* AttachmentsRepo
  const blobs = yield* Blobs
  const messages = yield* TicketMessagesRepo
  const access = yield* MessageAccess

  const checkAccess = fn("Attachments.checkAccess")(function* (messageID: TicketMessageID) {
    const { customerID } = yield* CurrentRep
    yield* messages.find(customerID, messageID).pipe(access.orRefuse(messageID))
    return customerID
  })

  const store = <E>(customerID: CustomerID, file: SentFile<E>) =>
    Effect.gen(function* () {
      const { content, contentType, fileName } = yield* checkUpload(file)
      const { blobID } = yield* blobs.store(customerID, content, largestAttachment)
      return { fileName, contentType, blobID }
    }).pipe(Effect.scoped)

  type Stored = Effect.Effect.Success<ReturnType<typeof store>>

  const insert = (customerID: CustomerID, messageID: TicketMessageID, stored: Stored) =>
    repo
      .insert(customerID, messageID, { contentID: null, isEndUserProvided: false, ...stored })
      .pipe(Effect.catchTag("MissingReference", () => noMessage(messageID)))

  /** Removes the stored bytes if anything goes wrong from here on. */
  const orNothing = <A, E, R>(
    customerID: CustomerID,
    run: (keep: (stored: Stored) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) =>
    Effect.gen(function* () {
      const kept = yield* Ref.make(Option.none<Stored>())
      const remove = Effect.flatMap(
        Ref.get(kept),
        Option.match({ onNone: () => Effect.void, onSome: ({ blobID }) => blobs.removeUnused(customerID, blobID) })
      )
      return yield* run((stored) => Ref.set(kept, Option.some(stored))).pipe(Effect.onError(() => remove))
    })

  return Attachments.of({
    list: fn("Attachments.list")(function* (messageID) {
      const customerID = yield* checkAccess(messageID)
      return yield* repo.list(customerID, messageID)
    }),

    upload: fn("Attachments.upload")(function* (messageID, form) {
      const customerID = yield* checkAccess(messageID)
      const stored = yield* orNothing(customerID, (keep) =>
        // Reads the form to its end, even after the file: a form that breaks off there must not be accepted.
        Stream.runFoldEffect(form, Option.none<Stored>(), (known, part) => {
          if (part._tag === "Field" || part.key.toLowerCase() !== "file") return Effect.succeed(known)
          if (Option.isSome(known)) return severalFiles
          const { content, contentType, name: fileName } = part
          return store(customerID, { fileName, contentType, content }).pipe(Effect.tap(keep), Effect.asSome)
        }).pipe(Effect.catchTag("MultipartError", Effect.die))
      )
      if (Option.isNone(stored)) return yield* noFile
      return yield* insert(customerID, messageID, stored.value).pipe(
        lastTransaction(inTransaction, blobs.removeUnused(customerID, stored.value.blobID))
      )
    }),

    delete: fn("Attachments.delete")(function* (messageID, attachmentID) {
      const customerID = yield* checkAccess(messageID)
      const deleted = yield* repo.delete(customerID, messageID, attachmentID)
      if (Option.isSome(deleted)) return yield* blobs.discard(customerID, deleted.value.blobID)
      const owner = yield* repo.findOwner(attachmentID)
      return yield* Option.exists(owner, (its) => its.customerID !== customerID)
        ? foreign(attachmentID)
        : noAttachment(attachmentID)
    }, inTransaction)
  })
})
