import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"
import { blobRemoval } from "./BlobRemoval.ts"
import { BlobID } from "./BlobStore.ts"

/** Every table that refers to blobs. Blobs that none of them refers to are swept away. */
export const referringTables = [
  "ticket_message_attachment",
  "failed_mail",
  "place_description_room_photo",
  "data_request"
] as const

const Key = Schema.Struct({ customerID: CustomerID, blobID: BlobID })

export class BlobsRepo extends Context.Tag("casework/BlobsRepo")<
  BlobsRepo,
  {
    /** Registers a blob, with its size if that is known before the bytes arrive. */
    readonly register: (customerID: CustomerID, size?: number) => Effect.Effect<BlobID>
    readonly setSize: (customerID: CustomerID, blobID: BlobID, size: number) => Effect.Effect<void>
    /** Deletes a blob if nothing refers to it. From then on nothing can, and a note says that its bytes are left. */
    readonly deleteUnused: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<boolean>
    /** Whether only the bytes of the blob are left. */
    readonly hasLeftBytes: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<boolean>
    /** Call it when the bytes are gone too. */
    readonly forget: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
    /**
     * Finds blobs of all customers: those of which only the bytes are left, and those more than an hour old that
     * nothing refers to and no job is about to remove.
     */
    readonly findForgotten: (count: number) => Effect.Effect<ReadonlyArray<typeof Key.Type>>
  }
>() {
  static readonly layer = Layer.effect(
    BlobsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const unused = sql.and(
    referringTables.map(
      (table) => sql`not exists (
        select 1 from ${sql(table)} user_of_it
        where user_of_it.customer_id = blob.customer_id and user_of_it.blob_id = blob.blob_id)`
    )
  )
  const register = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, size: Schema.NullOr(Schema.Int) }),
    Result: Schema.Struct({ blobID: BlobID }),
    execute: (_) => sql`
      insert into blob (customer_id, size) values (${_.customerID}, ${_.size}) returning blob_id as "blobID"`
  })
  const findForgotten = SqlSchema.findAll({
    Request: Schema.Int,
    Result: Key,
    execute: (count) => sql`
      /* all customers: bytes that nobody can reach any more */
      (select customer_id as "customerID", about_blob as "blobID" from blob_removal order by created_at limit ${count})
      union all
      (select customer_id, blob_id from blob
      where created_at < now() - interval '1 hour' and ${unused}
        and not exists (
          select 1 from job
          where job.customer_id = blob.customer_id and job.status in ('Queued', 'Running') and job.kind = ${blobRemoval.kind}
            and job.payload ->> 'blobID' = blob.blob_id::text)
      order by created_at limit ${count})
      limit ${count}`
  })

  return BlobsRepo.of({
    register: (customerID, size) =>
      register({ customerID, size: size ?? null }).pipe(
        Effect.map(({ blobID }) => blobID),
        Effect.orDie
      ),
    setSize: (customerID, blobID, size) =>
      sql`update blob set size = ${size} where customer_id = ${customerID} and blob_id = ${blobID}`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    deleteUnused: (customerID, blobID) =>
      sql`
        with gone as (
          delete from blob where customer_id = ${customerID} and blob_id = ${blobID} and ${unused}
          returning customer_id, blob_id)
        insert into blob_removal (customer_id, about_blob) select customer_id, blob_id from gone returning 1`.pipe(
        // As a transaction it starts over, and finds the reference, when one is added at the same moment.
        inTransaction(sql),
        Effect.map((rows) => rows.length > 0)
      ),
    hasLeftBytes: (customerID, blobID) =>
      sql`select 1 from blob_removal where customer_id = ${customerID} and about_blob = ${blobID}`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      ),
    forget: (customerID, blobID) =>
      sql`delete from blob_removal where customer_id = ${customerID} and about_blob = ${blobID}`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    findForgotten: (count) => Effect.orDie(findForgotten(count))
  })
})

/** Whether there is any file, or any deleted file whose bytes are left. Asked by a start, before there are services. */
export const hasBlobs = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`/* all customers: whether there is any file at all */
      (select 1 from blob limit 1) union all (select 1 from blob_removal limit 1)`,
    ({ length }) => length > 0
  )
)
