import { Context, type Effect, Schema, type Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

export const BlobID = Schema.UUID.pipe(Schema.brand("BlobID"))
export type BlobID = typeof BlobID.Type

/** A part of a blob: both ends count. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Where bytes live: a folder, PostgreSQL or an S3-compatible store. Everything streams; nothing is held whole. */
export class BlobStore extends Context.Tag("casework/BlobStore")<
  BlobStore,
  {
    /** All or nothing: when the stream fails, or the fiber is interrupted, nothing stays. */
    readonly put: <E>(
      customerID: CustomerID,
      blobID: BlobID,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<void, E>
    /** A blob that is not there is a defect: its row says that it is. */
    readonly get: (customerID: CustomerID, blobID: BlobID, range?: ByteRange) => Stream.Stream<Uint8Array>
    /** Removing what is not there is fine. */
    readonly remove: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
  }
>() {}
