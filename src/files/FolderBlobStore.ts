import { createReadStream } from "node:fs"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Exit, Layer, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { type BlobID, BlobStore } from "./BlobStore.ts"

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
          Stream.runForEach(bytes, (chunk) => Effect.promise(() => file.writeFile(chunk))).pipe(
            Effect.zipRight(finish(file, path))
          ),
        (file, exit) =>
          Effect.promise(async () => {
            await file.close()
            if (Exit.isFailure(exit)) await rm(unfinished(path), { force: true })
          })
      )
    },
    get: (customerID, blobID, range) =>
      NodeStream.fromReadable<unknown, Uint8Array>(
        () => createReadStream(pathOf(customerID, blobID), range),
        (error) => error
      ).pipe(Stream.orDie),
    remove: (customerID, blobID) =>
      Effect.promise(async () => {
        const path = pathOf(customerID, blobID)
        for (const file of [path, unfinished(path)]) await rm(file, { force: true })
      })
  })
}
