import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, TicketMessageAttachmentID, TicketMessageID } from "../../schema/Ids.ts"
import { TicketMessageAttachment } from "../../schema/TicketMessageAttachments.ts"
import { quick } from "../platform/database/LeanStatements.ts"
import { failOnViolation, type MissingReference } from "../platform/database/Violations.ts"
import { BlobID } from "./BlobStore.ts"

const Row = Schema.Struct({ ...TicketMessageAttachment.fields, createdDateTime: Schema.DateTimeUtcFromDate })

const NewAttachment = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  isEndUserProvided: Schema.Boolean,
  contentID: Schema.NullOr(Schema.String),
  blobID: BlobID
})
type NewAttachment = typeof NewAttachment.Type

const StoredFile = Schema.Struct({
  customerID: CustomerID,
  accessToken: Schema.UUID,
  fileName: Schema.String,
  contentType: Schema.String,
  blobID: BlobID,
  size: Schema.NumberFromString
})
export type StoredFile = typeof StoredFile.Type

const MessageFile = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  blobID: BlobID,
  size: Schema.NumberFromString
})

const Owner = Schema.Struct({ customerID: CustomerID })
const InMessage = Schema.Struct({ customerID: CustomerID, messageID: TicketMessageID })
const Key = Schema.Struct({ ...InMessage.fields, attachmentID: TicketMessageAttachmentID })

export class AttachmentsRepo extends Context.Tag("casework/AttachmentsRepo")<
  AttachmentsRepo,
  {
    /** Finds the owner of an attachment: a foreign attachment gets a different response than a missing one. */
    readonly findOwner: (attachmentID: TicketMessageAttachmentID) => Effect.Effect<Option.Option<typeof Owner.Type>>
    readonly list: (
      customerID: CustomerID,
      messageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<TicketMessageAttachment>>
    /** The same list with the blob of each file. */
    readonly listFiles: (
      customerID: CustomerID,
      messageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<typeof MessageFile.Type>>
    readonly insert: (
      customerID: CustomerID,
      messageID: TicketMessageID,
      attachment: NewAttachment
    ) => Effect.Effect<TicketMessageAttachment, MissingReference>
    /** Copies the files that representatives added to one message to another message. */
    readonly copyProvided: (customerID: CustomerID, from: TicketMessageID, to: TicketMessageID) => Effect.Effect<void>
    /** Returns the blob that is left over. */
    readonly delete: (
      customerID: CustomerID,
      messageID: TicketMessageID,
      attachmentID: TicketMessageAttachmentID
    ) => Effect.Effect<Option.Option<{ readonly blobID: BlobID }>>
    readonly findByToken: (accessToken: string) => Effect.Effect<Option.Option<StoredFile>>
  }
>() {
  static readonly layer = Layer.effect(
    AttachmentsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`ticket_message_attachment_id as "ticketMessageAttachmentID",
    ticket_message_id as "messageID", file_name as "fileName", content_type as "contentType",
    created_at as "createdDateTime", is_end_user_provided as "isEndUserProvided",
    not is_end_user_provided as "isCustomerRepProvided", access_token as "accessToken"`)

  const findOwner = SqlSchema.findOne({
    Request: TicketMessageAttachmentID,
    Result: Owner,
    execute: (attachmentID) => sql`/* all customers: tells foreign from missing */
      select customer_id as "customerID" from ticket_message_attachment
      where ticket_message_attachment_id = ${attachmentID}`
  })
  const list = SqlSchema.findAll({
    Request: InMessage,
    Result: Row,
    execute: (_) => sql`
      select ${columns} from ticket_message_attachment
      where customer_id = ${_.customerID} and ticket_message_id = ${_.messageID}
      order by ticket_message_attachment_id`
  })
  // The join loses no file: the database guarantees that each one has its blob.
  const listFiles = SqlSchema.findAll({
    Request: InMessage,
    Result: MessageFile,
    execute: (_) => sql`
      select file_name as "fileName", content_type as "contentType", a.blob_id as "blobID", size::text
      from ticket_message_attachment a join blob b on b.customer_id = a.customer_id and b.blob_id = a.blob_id
      where a.customer_id = ${_.customerID} and ticket_message_id = ${_.messageID}
      order by ticket_message_attachment_id`
  })
  const insert = SqlSchema.single({
    Request: Schema.Struct({ ...InMessage.fields, ...NewAttachment.fields }),
    Result: Row,
    execute: (_) => sql`
      insert into ticket_message_attachment (customer_id, ticket_message_id, file_name, content_type,
        is_end_user_provided, content_id, blob_id)
      values (${_.customerID}, ${_.messageID}, ${_.fileName}, ${_.contentType}, ${_.isEndUserProvided},
        ${_.contentID}, ${_.blobID})
      returning ${columns}`
  })
  const remove = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({ blobID: BlobID }),
    execute: (_) => sql`
      delete from ticket_message_attachment
      where customer_id = ${_.customerID} and ticket_message_id = ${_.messageID}
        and ticket_message_attachment_id = ${_.attachmentID}
      returning blob_id as "blobID"`
  })
  const findByToken = SqlSchema.findOne({
    Request: Schema.String,
    Result: StoredFile,
    execute: (accessToken) =>
      quick(sql`/* all customers: whoever has the token may have the file */
        select a.customer_id as "customerID", access_token as "accessToken", file_name as "fileName",
          content_type as "contentType", a.blob_id as "blobID", size::text
        from ticket_message_attachment a join blob b on b.customer_id = a.customer_id and b.blob_id = a.blob_id
        where access_token = ${accessToken}::uuid`)
  })

  return AttachmentsRepo.of({
    findOwner: (attachmentID) => Effect.orDie(findOwner(attachmentID)),
    list: (customerID, messageID) => Effect.orDie(list({ customerID, messageID })),
    listFiles: (customerID, messageID) => Effect.orDie(listFiles({ customerID, messageID })),
    insert: (customerID, messageID, attachment) =>
      insert({ customerID, messageID, ...attachment }).pipe(failOnViolation, Effect.catchTag("Duplicate", Effect.die)),
    copyProvided: (customerID, from, to) =>
      sql`
        insert into ticket_message_attachment (customer_id, ticket_message_id, file_name, content_type,
          is_end_user_provided, content_id, blob_id)
        select customer_id, ${to}, file_name, content_type, false, content_id, blob_id from ticket_message_attachment
        where customer_id = ${customerID} and ticket_message_id = ${from} and not is_end_user_provided
        order by ticket_message_attachment_id`.pipe(Effect.asVoid, Effect.orDie),
    delete: (customerID, messageID, attachmentID) => Effect.orDie(remove({ customerID, messageID, attachmentID })),
    findByToken: (accessToken) => Effect.orDie(findByToken(accessToken))
  })
})
