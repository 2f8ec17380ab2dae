import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** An empty folder that goes away with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "casework-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)
