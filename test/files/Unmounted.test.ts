import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID, BlobStore } from "../../src/files/BlobStore.ts"
import { folderBlobStore } from "../../src/files/FolderBlobStore.ts"
import { StoreAway } from "../../src/platform/BlobTrouble.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const [acme, globex] = [CustomerID.make(1), CustomerID.make(2)]
const blobID = BlobID.make("0b0c6d5e-51c2-4f0c-9a55-0d1b1f1f2f3f")

it.scoped("A file on a share that is not mounted does not count as removed", () =>
  Effect.gen(function* () {
    const parent = yield* temporaryFolder
    const [files, aside] = [join(parent, "files"), join(parent, "aside")]
    yield* Effect.gen(function* () {
      const store = yield* BlobStore
      yield* store.put(acme, blobID, Stream.make(Buffer.from("kept")))
      yield* Effect.promise(async () => {
        await rename(files, aside)
        await mkdir(files)
      })
      // It is not mounted either when others have stored files in its place since.
      yield* store.put(globex, blobID, Stream.make(Buffer.from("meanwhile")))
      const exit = yield* Effect.exit(store.remove(acme, blobID))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(StoreAway)
      yield* Effect.promise(async () => {
        await rm(files, { recursive: true })
        await rename(aside, files)
      })
      yield* store.remove(acme, blobID)
      expect(Exit.isFailure(yield* Effect.exit(store.check(acme, [blobID])))).toBe(true)
    }).pipe(Effect.provide(folderBlobStore(files)))
  })
)
