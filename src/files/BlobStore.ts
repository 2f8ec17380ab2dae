import { Context, type Effect, type Option, Schema, type Scope, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

export const BlobID = Schema.UUID.pipe(Schema.brand("BlobID"))
export type BlobID = typeof BlobID.Type

/** A part of a blob: both ends count. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes that are there, or that come. */
export type Bytes<E> = Uint8Array | Stream.Stream<Uint8Array, E>

/** Fills memory with what follows a place, as far as it goes, and says how far. */
export type ReadInto = (memory: Uint8Array, at: number) => Promise<number>

/** Up to here bytes are as well held in one piece: a stream would hold as many at a time. */
export const largestPiece = 256 * 1024

/**
 * Where bytes live: a folder, PostgreSQL or an S3-compatible store. What is larger than a piece is never held whole. A
 * store that does not do its part at the moment is the defect StoreAway, or the database's own.
 */
export class BlobStore extends Context.Tag("casework/BlobStore")<
  BlobStore,
  {
    /** All or nothing: when the stream fails, or the fiber is interrupted, nothing stays. */
    readonly put: <E = never>(customerID: CustomerID, blobID: BlobID, bytes: Bytes<E>) => Effect.Effect<void, E>
    /** A blob that is not there is the defect BytesMissing: its row says that it is. */
    readonly get: (customerID: CustomerID, blobID: BlobID, range?: ByteRange) => Stream.Stream<Uint8Array>
    /** The same in one piece, for what is no larger than one. */
    readonly getPiece: (customerID: CustomerID, blobID: BlobID, range: ByteRange) => Effect.Effect<Uint8Array>
    /** The same where it lies, open already, where the store can: it goes into a socket with far fewer steps. */
    readonly getOpen: (
      customerID: CustomerID,
      blobID: BlobID,
      range: ByteRange
    ) => Option.Option<Effect.Effect<ReadInto, never, Scope.Scope>>
    /** Finds out what reading any of them would meet, for an answer that begins before it reads them. */
    readonly check: (customerID: CustomerID, blobIDs: ReadonlyArray<BlobID>) => Effect.Effect<void>
    /** Removing what is not there is fine. */
    readonly remove: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
  }
>() {}

/** What to do with each piece. A stream of what is there already would take longer than most things that are done with it. */
export const eachPiece = <E = never>(bytes: Bytes<E>, use: (piece: Uint8Array) => Effect.Effect<void>) =>
  bytes instanceof Uint8Array ? use(bytes) : Stream.runForEach(bytes, use)
