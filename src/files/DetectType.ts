import { Effect } from "effect"
import { fileTypeFromBuffer } from "file-type"

/** How much of a file is looked at: enough to meet the entries by which a document tells itself from an archive. */
export const headSize = 64 * 1024

/** What the first bytes of a file say that it is. What cannot be read says nothing. */
export const detectType = (head: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.tryPromise(() => fileTypeFromBuffer(head)).pipe(
    Effect.map((found) => found?.mime.split(";")[0]),
    Effect.orElseSucceed(() => undefined)
  )
