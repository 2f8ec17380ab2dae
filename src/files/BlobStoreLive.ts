import { join } from "node:path"
import type { SqlError } from "@effect/sql"
import { type ConfigError, Effect, Layer } from "effect"
import type { Database } from "../platform/database/Database.ts"
import { checkWritable } from "../platform/settings/DataFolder.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { checkBlobLocation } from "./BlobLocationCheck.ts"
import type { BlobStore } from "./BlobStore.ts"
import { folderBlobStore } from "./FolderBlobStore.ts"
import { PostgresBlobStore } from "./PostgresBlobStore.ts"
import { s3BlobStore } from "./S3BlobStore.ts"

/** Checked here and not with the settings: admin commands may run where the folder does not exist. */
const openFolder = (folder: string) => Layer.unwrapEffect(Effect.as(checkWritable(folder), folderBlobStore(folder)))

/** The store that BLOB_STORE names, provided that the files are there and the store can be used. */
export const BlobStoreLive = Layer.unwrapEffect(
  Effect.map(
    Effect.zipLeft(Settings, checkBlobLocation),
    ({ blobLocation, dataDir }): Layer.Layer<BlobStore, ConfigError.ConfigError | SqlError.SqlError, Database> => {
      switch (blobLocation._tag) {
        case "Folder":
          return openFolder(join(dataDir, "files"))
        case "Postgres":
          return PostgresBlobStore
        case "S3":
          return s3BlobStore(blobLocation)
      }
    }
  )
)
