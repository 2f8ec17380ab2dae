import { Context, type Effect, type Option, Schema, type Scope, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

export const BlobID = Schema.UUID.pipe(Schema.brand("BlobID"))
export type BlobID = typeof BlobID.Type

/** A part of a blob; both ends are inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes in memory, or a stream of bytes. */
export type Bytes<E> = Uint8Array | Stream.Stream<Uint8Array, E>

/** Fills memory with the bytes from a position on, as far as there are any, and returns how many. */
export type ReadInto = (memory: Uint8Array, at: number) => Promise<number>

/** Up to this size bytes may as well be held in one piece: a stream would hold as many at a time. */
export const largestPiece = 256 * 1024

/**
 * Where bytes live: a folder, PostgreSQL or an S3-compatible store. Anything larger than a piece is never held whole. A
 * store that does not work at the moment raises the defect StoreAway, or the database's own.
 */
export class BlobStore extends Context.Tag("casework/BlobStore")<
  BlobStore,
  {
    /** All or nothing: when the stream fails, or the fiber is interrupted, nothing stays. */
    readonly put: <E = never>(customerID: CustomerID, blobID: BlobID, bytes: Bytes<E>) => Effect.Effect<void, E>
    /** A missing blob is the defect BytesMissing, because its row says that it exists. */
    readonly get: (customerID: CustomerID, blobID: BlobID, range?: ByteRange) => Stream.Stream<Uint8Array>
    /** The same in one piece, for a range no larger than one. */
    readonly getPiece: (customerID: CustomerID, blobID: BlobID, range: ByteRange) => Effect.Effect<Uint8Array>
    /** The same as an open file, in stores that have one: sending it to a socket takes far fewer steps. */
    readonly getOpen: (
      customerID: CustomerID,
      blobID: BlobID,
      range: ByteRange
    ) => Option.Option<Effect.Effect<ReadInto, never, Scope.Scope>>
    /** Fails as reading any of the blobs would, for a response that begins before it reads them. */
    readonly check: (customerID: CustomerID, blobIDs: ReadonlyArray<BlobID>) => Effect.Effect<void>
    /** Removing a missing blob is fine. */
    readonly remove: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
  }
>() {}

/** Applies `use` to each piece. Making a stream of bytes in memory would take longer than most uses of them. */
export const eachPiece = <E = never>(bytes: Bytes<E>, use: (piece: Uint8Array) => Effect.Effect<void>) =>
  bytes instanceof Uint8Array ? use(bytes) : Stream.runForEach(bytes, use)
