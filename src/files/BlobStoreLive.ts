import { join } from "node:path"
import type { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Settings } from "../platform/Settings.ts"
import type { BlobStore } from "./BlobStore.ts"
import { folderBlobStore } from "./FolderBlobStore.ts"
import { PostgresBlobStore } from "./PostgresBlobStore.ts"
import { s3BlobStore } from "./S3BlobStore.ts"

/** The store that BLOB_STORE names. */
export const BlobStoreLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ blobPlace, dataDir }): Layer.Layer<BlobStore, never, SqlClient.SqlClient> => {
    switch (blobPlace._tag) {
      case "Folder":
        return folderBlobStore(join(dataDir, "files"))
      case "Postgres":
        return PostgresBlobStore
      case "S3":
        return s3BlobStore(blobPlace)
    }
  })
)
