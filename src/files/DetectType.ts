import { Effect } from "effect"
import { fileTypeFromBuffer } from "file-type"

/** How much of a file is examined: enough to reach the entries that tell a document from an archive. */
export const headSize = 64 * 1024

/** The type that the first bytes of a file indicate; undefined when they cannot be read. */
export const detectType = (head: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.tryPromise(() => fileTypeFromBuffer(head)).pipe(
    Effect.map((found) => found?.mime.split(";")[0]),
    Effect.orElseSucceed(() => undefined)
  )
