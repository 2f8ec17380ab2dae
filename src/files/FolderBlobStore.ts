import { createReadStream } from "node:fs"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Chunk, Effect, Exit, Layer, Option, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { type BlobID, BlobStore, type ByteRange, eachPiece, largestPiece } from "./BlobStore.ts"

/** From one place to the other, both counting, or to the end. */
const piecesOf = (file: FileHandle, range: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER }) =>
  Stream.paginateChunkEffect(range.start, (at) =>
    Effect.promise(async () => {
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

/** Files in a folder, one for each blob. Their names are ids, never what a caller wrote. */
export const folderBlobStore = (folder: string) => {
  // Two levels, so that no folder gets very long.
  const pathOf = (customerID: CustomerID, blobID: BlobID) =>
    join(folder, String(customerID), blobID.slice(0, 2), blobID)

  /** A file that is not whole yet has another name: what is found under the right one is complete, also after a crash. */
  const unfinished = (path: string) => `${path}.part`

  const begin = (path: string) =>
    Effect.promise(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return open(unfinished(path), "wx", 0o600)
    })

  const finish = (file: FileHandle, path: string) =>
    Effect.promise(async () => {
      await file.sync()
      await rename(unfinished(path), path)
      // The new name too must survive a power failure.
      const parent = await open(dirname(path))
      await parent.sync().finally(() => parent.close())
    })

  return Layer.succeed(BlobStore, {
    put: (customerID, blobID, bytes) => {
      const path = pathOf(customerID, blobID)
      return Effect.acquireUseRelease(
        begin(path),
        (file) =>
          eachPiece(bytes, (piece) => Effect.promise(() => file.writeFile(piece))).pipe(
            // Half finished, it could have its name after all when the caller was told that nothing stays.
            Effect.zipRight(Effect.uninterruptible(finish(file, path)))
          ),
        (file, exit) =>
          Effect.promise(async () => {
            await file.close()
            if (Exit.isFailure(exit)) await rm(unfinished(path), { force: true })
          })
      )
    },
    get: (customerID, blobID, range) =>
      Effect.acquireRelease(
        Effect.promise(() => open(pathOf(customerID, blobID))),
        (file) => Effect.promise(() => file.close())
      ).pipe(
        Effect.map((file) => piecesOf(file, range)),
        Stream.unwrapScoped
      ),
    getPiece: (customerID, blobID, range) => Effect.promise(() => readPiece(pathOf(customerID, blobID), range)),
    getReadable: (customerID, blobID, range) =>
      Option.some(() => createReadStream(pathOf(customerID, blobID), { ...range })),
    remove: (customerID, blobID) =>
      Effect.promise(async () => {
        const path = pathOf(customerID, blobID)
        for (const file of [path, unfinished(path)]) await rm(file, { force: true })
      })
  })
}
