import { ConfigError, Effect } from "effect"
import { noteAnew, noteFirst } from "../platform/database/Installation.ts"
import type { BlobLocation } from "../platform/settings/BlobLocation.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { hasBlobs } from "./BlobsRepo.ts"

const name = "blob store"

/**
 * The place in the form of BLOB_STORE, without a folder's path or an endpoint: nodes may reach the same place under
 * different ones.
 */
const wordsFor = (place: BlobLocation) => {
  switch (place._tag) {
    case "Folder":
      return "folder"
    case "Postgres":
      return "postgres"
    case "S3":
      return `s3://${place.bucket}/${place.prefix}`
  }
}

const present = Effect.map(Settings, ({ blobLocation }) => wordsFor(blobLocation))

/** Call it once the files are there: from then on they are looked for in the current BLOB_STORE. */
export const noteBlobLocation = Effect.tap(present, (here) => noteAnew(name, here))

/**
 * With another BLOB_STORE no file would be found, and deleted files would stay where they are. The start is refused
 * until the operator has moved the files there and says so.
 */
export const checkBlobLocation = Effect.gen(function* () {
  const here = yield* present
  const there = yield* noteFirst(name, here)
  if (there === here) return
  if (!(yield* hasBlobs)) return yield* noteBlobLocation
  return yield* Effect.fail(
    ConfigError.InvalidData(
      ["BLOB_STORE"],
      `The files of this database are in ${there}, not in ${here}. Restore the old setting, ` +
        "or copy the files there and then run `npm run admin -- files moved` with the new setting"
    )
  )
})
