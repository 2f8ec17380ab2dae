import type { StoredFile } from "./AttachmentsRepo.ts"
import type { BlobReader } from "./Blobs.ts"

/** A file that may be read, whole or in part. */
export interface OpenFile extends Pick<StoredFile, "fileName" | "contentType" | "size">, BlobReader {
  readonly etag: string
}
