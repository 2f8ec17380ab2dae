import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { mailsOf } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"

const SetAsideMail = Schema.Struct({
  failedMailID: Schema.Int,
  externalID: Schema.String,
  blobID: BlobID,
  /** The address of its mailbox. */
  mailbox: Schema.NullOr(Schema.String)
})
type SetAsideMail = typeof SetAsideMail.Type

export class UnkeyedRowsRepo extends Context.Tag("casework/UnkeyedRowsRepo")<
  UnkeyedRowsRepo,
  {
    /** All of the customer's, whomever they are about. */
    readonly setAsideMails: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<SetAsideMail>>
    readonly outboxMailIDs: (person: Person) => Effect.Effect<ReadonlyArray<number>>
  }
>() {
  static readonly layer = Layer.effect(
    UnkeyedRowsRepo,
    Effect.suspend(() => make)
  )
}

const decodeMails = Schema.decodeUnknown(Schema.Array(Schema.Struct({ outboxMailID: Schema.Int })))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const listSetAside = SqlSchema.findAll({
    Request: CustomerID,
    Result: SetAsideMail,
    execute: (customerID) => sql`
      select f.failed_mail_id as "failedMailID", f.external_id as "externalID", f.blob_id as "blobID",
        lower(c.email_address) as mailbox
      from failed_mail f
      join channel_folder d on d.customer_id = f.customer_id and d.channel_folder_id = f.channel_folder_id
      join channel c on c.customer_id = d.customer_id and c.channel_id = d.channel_id
      where f.customer_id = ${customerID} and f.blob_id is not null order by f.failed_mail_id`
  })

  return UnkeyedRowsRepo.of({
    setAsideMails: (customerID) => Effect.orDie(listSetAside(customerID)),

    outboxMailIDs: (person) =>
      sql`
        select outbox_mail_id as "outboxMailID" from outbox_mail
        where customer_id = ${person.customerID} and ${mailsOf(sql, person)} order by 1`.pipe(
        Effect.flatMap(decodeMails),
        Effect.map((mails) => mails.map(({ outboxMailID }) => outboxMailID)),
        Effect.orDie
      )
  })
})
