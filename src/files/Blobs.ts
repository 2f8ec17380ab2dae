import { Context, DateTime, Effect, Layer, type Option, Ref, type Scope, Stream } from "effect"
import { PayloadTooLarge } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { blobRemoval } from "./BlobRemoval.ts"
import { type BlobID, BlobStore, type ByteRange, type Bytes, type ReadInto } from "./BlobStore.ts"
import { BlobsRepo } from "./BlobsRepo.ts"

/** Bytes that a row of the caller may now refer to. */
export interface StoredBlob {
  readonly blobID: BlobID
  readonly size: number
}

/** The ways to read one blob: as a stream, in one piece if it is small, or from an open file. */
export interface BlobReader {
  readonly read: (range: ByteRange) => Stream.Stream<Uint8Array>
  readonly readPiece: (range: ByteRange) => Effect.Effect<Uint8Array>
  readonly openAt: (range: ByteRange) => Option.Option<Effect.Effect<ReadInto, never, Scope.Scope>>
}

export class Blobs extends Context.Tag("casework/Blobs")<
  Blobs,
  {
    /**
     * Stores a stream up to a limit without ever holding it whole; one that is too large, breaks off or is interrupted
     * leaves nothing. Call it outside of transactions: a slow sender must not hold one open. A row must refer to the
     * blob within an hour, or the sweep removes it.
     */
    readonly store: <E>(
      customerID: CustomerID,
      bytes: Stream.Stream<Uint8Array, E>,
      limit: number
    ) => Effect.Effect<StoredBlob, E | PayloadTooLarge>
    /** The same for bytes that are in memory already. */
    readonly storeWhole: (customerID: CustomerID, bytes: Uint8Array) => Effect.Effect<BlobID>
    readonly open: (customerID: CustomerID, blobID: BlobID, range?: ByteRange) => Stream.Stream<Uint8Array>
    readonly reader: (customerID: CustomerID, blobID: BlobID) => BlobReader
    /** Call it in the transaction that removes the last reference: the bytes are removed some time after the commit. */
    readonly discard: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
    readonly discardAll: (customerID: CustomerID, blobIDs: ReadonlyArray<BlobID>) => Effect.Effect<void>
    /** Removes a blob if nothing refers to it any more. */
    readonly removeUnused: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<void>
    /** The same for all blobs that have been left behind. */
    readonly sweep: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Blobs,
    Effect.suspend(() => make)
  )
}

const sweptAtOnce = 500

/** With this many at once, a sweep ends before the next one begins, even if the store does not respond. */
const removedAtOnce = 8

const tooLarge = (limit: number) =>
  new PayloadTooLarge({ message: `The file is too large: up to ${limit / 1024 / 1024} MiB are accepted.` })

const make = Effect.gen(function* () {
  const repo = yield* BlobsRepo
  const blobStore = yield* BlobStore
  const jobs = yield* Jobs

  /**
   * Once its row is gone nothing can refer to a blob again, so the store may take its time and no transaction waits for
   * it. Until the bytes are gone too a note of them stays and removal is retried, even while another node is removing
   * them.
   */
  const removeUnused = fn("Blobs.removeUnused")(function* (customerID: CustomerID, blobID: BlobID) {
    const isGone = (yield* repo.deleteUnused(customerID, blobID)) || (yield* repo.hasLeftBytes(customerID, blobID))
    if (!isGone) return
    yield* blobStore.remove(customerID, blobID)
    yield* repo.forget(customerID, blobID)
  })

  // A blob that cannot be removed must not hold up the others.
  const isRemoved = ({ blobID, customerID }: Effect.Effect.Success<ReturnType<typeof repo.findForgotten>>[number]) =>
    removeUnused(customerID, blobID).pipe(
      Effect.as(true),
      Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("could not remove a blob", cause), false))
    )

  const put = <E = never>(customerID: CustomerID, blobID: BlobID, bytes: Bytes<E>) =>
    blobStore
      .put(customerID, blobID, bytes)
      .pipe(
        Effect.onError(() =>
          removeUnused(customerID, blobID).pipe(
            Effect.catchAllCause((cause) => Effect.logWarning("could not remove unused blobs", cause))
          )
        )
      )

  return Blobs.of({
    storeWhole: fn("Blobs.storeWhole")(function* (customerID, bytes) {
      const blobID = yield* repo.register(customerID, bytes.length)
      yield* put(customerID, blobID, bytes)
      return blobID
    }),

    store: fn("Blobs.store")(function* (customerID, bytes, limit) {
      const blobID = yield* repo.register(customerID)
      const received = yield* Ref.make(0)
      const counted = Stream.tap(bytes, (chunk) =>
        Effect.filterOrFail(
          Ref.updateAndGet(received, (size) => size + chunk.length),
          (size) => size <= limit,
          () => tooLarge(limit)
        )
      )
      yield* put(customerID, blobID, counted)
      const size = yield* Ref.get(received)
      yield* repo.setSize(customerID, blobID, size)
      return { blobID, size }
    }),

    open: blobStore.get,

    reader: (customerID, blobID) => ({
      read: (range) => blobStore.get(customerID, blobID, range),
      readPiece: (range) => blobStore.getPiece(customerID, blobID, range),
      openAt: (range) => blobStore.getOpen(customerID, blobID, range)
    }),

    discard: fn("Blobs.discard")(function* (customerID, blobID) {
      yield* jobs.enqueue(blobRemoval, customerID, { blobID, discardedAt: yield* DateTime.now })
    }),

    discardAll: fn("Blobs.discardAll")(function* (customerID, blobIDs) {
      const discardedAt = yield* DateTime.now
      yield* jobs.enqueueAll(
        blobRemoval,
        blobIDs.map((blobID) => ({ customerID, payload: { blobID, discardedAt } }))
      )
    }),

    removeUnused,

    sweep: repo
      .findForgotten(sweptAtOnce)
      .pipe(
        Effect.flatMap(Effect.filter(isRemoved, { concurrency: removedAtOnce })),
        Effect.repeat({ while: (removed) => removed.length > 0 }),
        Effect.asVoid,
        Effect.withSpan("Blobs.sweep")
      )
  })
})
