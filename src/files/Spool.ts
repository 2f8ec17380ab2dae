import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Duration, Effect, Layer } from "effect"
import { orAway } from "./OrAway.ts"

const prefix = "casework-spool-"

/** No upload takes that long. */
const keptFor = Duration.toMillis("1 day")

const removed = (path: string) => rm(path, { recursive: true, force: true })

/** A folder for what waits to be stored. It goes with the scope. */
export const spoolFolder = Effect.acquireRelease(
  orAway(() => mkdtemp(join(tmpdir(), prefix))),
  (path) => orAway(() => removed(path))
)

const removeOld = (path: string) =>
  Effect.gen(function* () {
    const { mtimeMs } = yield* Effect.tryPromise(() => stat(path))
    if ((yield* Clock.currentTimeMillis) - mtimeMs > keptFor) yield* Effect.tryPromise(() => removed(path))
  }).pipe(Effect.ignoreLogged)

/** What processes have left behind that were killed; others that run here have theirs beside it. */
export const SpoolSweep = Layer.scopedDiscard(
  Effect.tryPromise(() => readdir(tmpdir())).pipe(
    Effect.map((names) => names.filter((name) => name.startsWith(prefix)).map((name) => join(tmpdir(), name))),
    Effect.flatMap(Effect.forEach(removeOld, { discard: true })),
    Effect.ignoreLogged,
    Effect.forkScoped
  )
)
