import { access, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Chunk, Effect, Exit, Layer, Option, Predicate, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { BytesMissing } from "../platform/BlobTrouble.ts"
import { type BlobID, BlobStore, type ByteRange, eachPiece, largestPiece, type ReadInto } from "./BlobStore.ts"
import { orAway, storeAway } from "./OrAway.ts"

/** Reads from one position to another, both inclusive, or to the end. */
const piecesOf = (file: FileHandle, range: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER }) =>
  Stream.paginateChunkEffect(range.start, (at) =>
    orAway(async () => {
      const length = Math.min(largestPiece, range.end - at + 1)
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
      const next = at + bytesRead
      const isLast = bytesRead < length || next > range.end
      const piece = bytesRead === 0 ? Chunk.empty<Uint8Array>() : Chunk.of<Uint8Array>(buffer.subarray(0, bytesRead))
      return [piece, isLast ? Option.none() : Option.some(next)]
    })
  )

const readPiece = async (path: string, { end, start }: ByteRange) => {
  const file = await open(path)
  try {
    const length = end - start + 1
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Reads from any position within a range; position 0 is the start of the range. */
const readInto =
  (file: FileHandle, { end, start }: ByteRange): ReadInto =>
  async (memory, at) => {
    const { bytesRead } = await file.read(memory, 0, Math.min(memory.length, end - start + 1 - at), start + at)
    return bytesRead
  }

const checkedAtOnce = 8

/** Files in a folder, one for each blob. Their names are ids, never what a caller wrote. */
export const folderBlobStore = (folder: string) => {
  // Two levels, so that no folder holds too many files.
  const pathOf = (customerID: CustomerID, blobID: BlobID) =>
    join(folder, String(customerID), blobID.slice(0, 2), blobID)

  /** An incomplete file has another name, so that a file under the right name is complete, even after a crash. */
  const unfinished = (path: string) => `${path}.part`

  const hasFolder = (customerID: CustomerID) =>
    access(join(folder, String(customerID))).then(
      () => true,
      () => false
    )

  /** If even the customer's folder is missing, the disk is away rather than the file lost. */
  const orMissing = async (customerID: CustomerID, blobID: BlobID, error: unknown) => {
    const isGone = Predicate.hasProperty(error, "code") && error.code === "ENOENT"
    return isGone && (await hasFolder(customerID)) ? new BytesMissing({ customerID, blobID }) : storeAway(error)
  }

  /** Every file was put into the customer's folder. Without that folder the file may be on a disk that is not mounted. */
  const checkFolder = async (customerID: CustomerID) => {
    if (await hasFolder(customerID)) return
    const path = join(folder, String(customerID))
    throw new Error(`${path} is missing. Mount its disk; or create it empty if its files are gone for good.`)
  }

  const reading = <A>(customerID: CustomerID, blobID: BlobID, read: (path: string) => Promise<A>) =>
    Effect.promise(async () => {
      try {
        return await read(pathOf(customerID, blobID))
      } catch (error) {
        throw await orMissing(customerID, blobID, error)
      }
    })

  const opened = (customerID: CustomerID, blobID: BlobID) =>
    Effect.acquireRelease(
      reading(customerID, blobID, (path) => open(path)),
      (file) => orAway(() => file.close())
    )

  const begin = (path: string) =>
    orAway(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return open(unfinished(path), "wx", 0o600)
    })

  const finish = (file: FileHandle, path: string) =>
    orAway(async () => {
      await file.sync()
      await rename(unfinished(path), path)
      // The new name must survive a power failure too.
      const parent = await open(dirname(path))
      await parent.sync().finally(() => parent.close())
    })

  return Layer.succeed(BlobStore, {
    put: (customerID, blobID, bytes) => {
      const path = pathOf(customerID, blobID)
      return Effect.acquireUseRelease(
        begin(path),
        (file) =>
          eachPiece(bytes, (piece) => orAway(() => file.writeFile(piece))).pipe(
            // Interrupted halfway, the file could still get its name after the caller was told that nothing stays.
            Effect.zipRight(Effect.uninterruptible(finish(file, path)))
          ),
        (file, exit) =>
          orAway(async () => {
            await file.close()
            if (Exit.isFailure(exit)) await rm(unfinished(path), { force: true })
          })
      )
    },
    get: (customerID, blobID, range) =>
      Stream.unwrapScoped(Effect.map(opened(customerID, blobID), (file) => piecesOf(file, range))),
    getPiece: (customerID, blobID, range) => reading(customerID, blobID, (path) => readPiece(path, range)),
    getOpen: (customerID, blobID, range) =>
      Option.some(Effect.map(opened(customerID, blobID), (file) => readInto(file, range))),
    check: (customerID, blobIDs) =>
      Effect.forEach(blobIDs, (blobID) => reading(customerID, blobID, (path) => access(path)), {
        concurrency: checkedAtOnce,
        discard: true
      }),
    remove: (customerID, blobID) =>
      orAway(async () => {
        await checkFolder(customerID)
        const path = pathOf(customerID, blobID)
        for (const file of [path, unfinished(path)]) await rm(file, { force: true })
      })
  })
}
