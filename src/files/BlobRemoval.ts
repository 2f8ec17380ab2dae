import { Schema } from "effect"
import { jobKind } from "../platform/queue/JobKind.ts"
import { BlobID } from "./BlobStore.ts"

const Removal = Schema.Struct({ blobID: BlobID, discardedAt: Schema.optional(Schema.DateTimeUtc) })

export const blobRemoval = jobKind({
  kind: "RemoveBlob",
  payload: Removal
})
