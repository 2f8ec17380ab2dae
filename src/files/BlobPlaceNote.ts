import { SqlClient } from "@effect/sql"
import { ConfigError, Effect } from "effect"
import { noteAnew, noteFirst } from "../platform/database/Installation.ts"
import type { BlobPlace } from "../platform/settings/BlobPlace.ts"
import { Settings } from "../platform/settings/Settings.ts"

const name = "blob store"

/** As BLOB_STORE says it. Without a folder's path and an endpoint: each node may see the same under another one. */
const wordsFor = (place: BlobPlace) => {
  switch (place._tag) {
    case "Folder":
      return "folder"
    case "Postgres":
      return "postgres"
    case "S3":
      return `s3://${place.bucket}/${place.prefix}`
  }
}

const present = Effect.map(Settings, ({ blobPlace }) => wordsFor(blobPlace))

/** Whether there is any file, or was one whose bytes are left. */
export const hasBlobs = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`/* all customers: whether there is any file at all */
      (select 1 from blob limit 1) union all (select 1 from blob_removal limit 1)`,
    ({ length }) => length > 0
  )
)

/** Call it when the files are there: from then on they are looked for at the present BLOB_STORE. */
export const noteBlobPlace = Effect.tap(present, (here) => noteAnew(name, here))

/**
 * Elsewhere no file would be found, and what is deleted would stay where it is: whoever comes with another BLOB_STORE is
 * refused until the operator has brought the files there and says so.
 */
export const checkBlobPlace = Effect.gen(function* () {
  const here = yield* present
  const there = yield* noteFirst(name, here)
  if (there === here) return
  if (!(yield* hasBlobs)) return yield* noteBlobPlace
  return yield* Effect.fail(
    ConfigError.InvalidData(
      ["BLOB_STORE"],
      `The files of this database are in ${there}, not in ${here}. Set it back; ` +
        "or copy them there and then run `npm run admin -- files moved` with the new setting"
    )
  )
})
