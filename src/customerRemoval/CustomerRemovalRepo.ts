import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { removeSubscription } from "../mail/MailJobs.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"
import type { BlobTable, CustomerTable } from "./CustomerTables.ts"

// Small enough that a batch holds its locks only for a moment, however large the customer is.
const rowsAtOnce = 1000

const blobsAtOnce = 500

export class CustomerRemovalRepo extends Context.Tag("casework/CustomerRemovalRepo")<
  CustomerRemovalRepo,
  {
    /** Revokes all tokens, stops mail retrieval and deletes jobs, so that running ones lose their claim. */
    readonly shut: (customerID: CustomerID) => Effect.Effect<void>
    /** Removes some rows of a table and returns how many; 0 when none are left. */
    readonly deleteSome: (customerID: CustomerID, table: CustomerTable) => Effect.Effect<number>
    /** The next ids after the given one, or the first ones. */
    readonly listBlobs: (
      customerID: CustomerID,
      table: BlobTable,
      after?: BlobID
    ) => Effect.Effect<ReadonlyArray<BlobID>>
    /** Removes the customer itself, unless a file has been added or is left; returns whether the customer is gone. */
    readonly finish: (customerID: CustomerID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    CustomerRemovalRepo,
    Effect.suspend(() => make)
  )
}

const firstBlob = BlobID.make("00000000-0000-0000-0000-000000000000")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const deleteSome = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, table: Schema.String }),
    Result: Schema.Struct({ count: Schema.Int }),
    execute: ({ customerID, table }) => sql`
      with gone as (
        delete from ${sql(table)} where customer_id = ${customerID} and ctid = any(array(
          select ctid from ${sql(table)} where customer_id = ${customerID} limit ${rowsAtOnce}))
        returning 1)
      select count(*)::int as count from gone`
  })
  const listBlobs = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, table: Schema.String, column: Schema.String, after: BlobID }),
    Result: Schema.Struct({ blobID: BlobID }),
    execute: (_) => sql`
      select ${sql(_.column)} as "blobID" from ${sql(_.table)}
      where customer_id = ${_.customerID} and ${sql(_.column)} > ${_.after}::uuid
      order by 1 limit ${blobsAtOnce}`
  })
  const lock = (customerID: CustomerID) => sql`select 1 from customer where customer_id = ${customerID} for update`

  return CustomerRemovalRepo.of({
    shut: (customerID) =>
      Effect.all([
        lock(customerID),
        sql`
          insert into removed_customer (about_customer) values (${customerID})
          on conflict (about_customer) do update set removed_at = now()`,
        sql`update customer_rep set deleted_at = now() where customer_id = ${customerID} and deleted_at is null`,
        sql`
          update channel set deleted_at = now(), auto_retrieve_emails = false, is_default_translation_channel = false
          where customer_id = ${customerID} and deleted_at is null`,
        sql`
          delete from job where customer_id = ${customerID} and status in ('Queued', 'Running')
            and kind <> ${removeSubscription.kind}`
      ]).pipe(inTransaction(sql), Effect.asVoid),

    deleteSome: (customerID, table) =>
      // A transaction is retried when it conflicts with another one.
      deleteSome({ customerID, table }).pipe(
        sql.withTransaction,
        Effect.map(({ count }) => count),
        Effect.orDie
      ),

    listBlobs: (customerID, table, after = firstBlob) =>
      listBlobs({ customerID, table, column: table === "blob" ? "blob_id" : "about_blob", after }).pipe(
        Effect.map((rows) => rows.map(({ blobID }) => blobID)),
        Effect.orDie
      ),

    finish: (customerID) =>
      Effect.gen(function* () {
        // The lock keeps any new rows from referencing the customer.
        yield* lock(customerID)
        yield* sql`
          delete from customer where customer_id = ${customerID}
            and not exists (select 1 from blob where blob.customer_id = ${customerID})
            and not exists (select 1 from blob_removal left_over where left_over.customer_id = ${customerID})`
        return (yield* sql`select 1 from customer where customer_id = ${customerID}`).length === 0
      }).pipe(inTransaction(sql))
  })
})
