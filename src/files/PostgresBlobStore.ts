import { SqlClient, SqlSchema } from "@effect/sql"
import { Chunk, Effect, Layer, Option, Schema, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BytesMissing } from "../platform/BlobTrouble.ts"
import { wholeOf } from "../platform/WholeBytes.ts"
import { BlobID, BlobStore, type ByteRange } from "./BlobStore.ts"
import { piecesOf } from "./Pieces.ts"

/** Every chunk has this size, only the last one may be shorter. It cannot change, because stored chunks have it. */
const chunkSize = 256 * 1024

const Key = Schema.Struct({ customerID: CustomerID, blobID: BlobID, position: Schema.Int })

const cut = (bytes: Uint8Array, position: number, { end, start }: ByteRange) =>
  bytes.subarray(Math.max(0, start - position * chunkSize), end + 1 - position * chunkSize)

/**
 * Stores a blob as rows of one chunk each. Every chunk is a statement of its own, so a slow sender holds neither a
 * transaction nor a connection.
 */
export const PostgresBlobStore = Layer.effect(
  BlobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = SqlSchema.void({
      Request: Schema.Struct({ ...Key.fields, bytes: Schema.Uint8ArrayFromSelf }),
      execute: (_) => sql`
        insert into blob_chunk (customer_id, blob_id, position, bytes)
        values (${_.customerID}, ${_.blobID}, ${_.position}, ${_.bytes})`
    })
    const find = SqlSchema.findOne({
      Request: Key,
      Result: Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf }),
      execute: (_) => sql`
        select bytes from blob_chunk
        where customer_id = ${_.customerID} and blob_id = ${_.blobID} and position = ${_.position}`
    })
    const remove = (customerID: CustomerID, blobID: BlobID) =>
      sql`delete from blob_chunk where customer_id = ${customerID} and blob_id = ${blobID}`.pipe(
        Effect.asVoid,
        Effect.orDie
      )

    const isBehindEnd = (customerID: CustomerID, blobID: BlobID, position: number) =>
      Effect.map(
        sql`
          select 1 from blob where customer_id = ${customerID} and blob_id = ${blobID}
            and coalesce(size, 0) <= ${position * chunkSize}::bigint`,
        ({ length }) => length > 0
      )

    /** None after the last chunk. A missing chunk before the end must not look like the end. */
    const findChunk = (customerID: CustomerID, blobID: BlobID, position: number) =>
      Effect.gen(function* () {
        const found = yield* find({ customerID, blobID, position })
        if (Option.isNone(found) && (position === 0 || !(yield* isBehindEnd(customerID, blobID, position)))) {
          return yield* Effect.die(new BytesMissing({ customerID, blobID }))
        }
        return found
      }).pipe(Effect.orDie)

    const get = (
      customerID: CustomerID,
      blobID: BlobID,
      range: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER }
    ) => {
      const first = Math.floor(range.start / chunkSize)
      return Stream.paginateChunkEffect(first, (position) =>
        Effect.map(findChunk(customerID, blobID, position), (found) => {
          if (Option.isNone(found)) return [Chunk.empty<Uint8Array>(), Option.none()]
          const { bytes } = found.value
          const isLast = bytes.length < chunkSize || range.end < (position + 1) * chunkSize
          return [Chunk.of(cut(bytes, position, range)), isLast ? Option.none() : Option.some(position + 1)]
        })
      )
    }

    /** A blob with its first chunk is assumed to have the others: single rows do not get lost. */
    const findMissing = SqlSchema.findAll({
      Request: Schema.Struct({ customerID: CustomerID, blobIDs: Schema.Array(BlobID) }),
      Result: Schema.Struct({ blobID: BlobID }),
      execute: (_) => sql`
        select wanted.blob_id as "blobID" from unnest(${_.blobIDs}::uuid[]) wanted (blob_id)
        where not exists (
          select 1 from blob_chunk
          where customer_id = ${_.customerID} and blob_id = wanted.blob_id and position = 0)
        limit 1`
    })

    return BlobStore.of({
      put: (customerID, blobID, bytes) =>
        piecesOf(bytes instanceof Uint8Array ? Stream.make(bytes) : bytes, chunkSize).pipe(
          Stream.zipWithIndex,
          Stream.runForEach(([piece, position]) =>
            Effect.orDie(insert({ customerID, blobID, position, bytes: piece }))
          ),
          Effect.onError(() => remove(customerID, blobID))
        ),
      get,
      getPiece: (customerID, blobID, range) => wholeOf(get(customerID, blobID, range)),
      getOpen: () => Option.none(),
      check: (customerID, blobIDs) =>
        findMissing({ customerID, blobIDs }).pipe(
          Effect.orDie,
          Effect.flatMap(([missing]) =>
            missing === undefined ? Effect.void : Effect.die(new BytesMissing({ customerID, ...missing }))
          )
        ),
      remove
    })
  })
)
