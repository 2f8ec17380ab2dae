import { Schema } from "effect"
import type { JobKind } from "../platform/queue/Jobs.ts"
import { BlobID } from "./BlobStore.ts"

const Removal = Schema.Struct({ blobID: BlobID, discardedAt: Schema.optional(Schema.DateTimeUtc) })

export const blobRemoval: JobKind<typeof Removal.Type, typeof Removal.Encoded> = {
  kind: "RemoveBlob",
  payload: Removal
}
