import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Duration, Effect, Layer } from "effect"
import { type Bytes, eachPiece, type ReadInto } from "./BlobStore.ts"
import { orAway } from "./OrAway.ts"

const prefix = "casework-spool-"

/** No upload takes that long. */
const keptFor = Duration.toMillis("1 day")

const removed = (path: string) => rm(path, { recursive: true, force: true })

/** A folder for bytes that wait to be stored or sent. It is removed with the scope. */
export const spoolFolder = Effect.acquireRelease(
  orAway(() => mkdtemp(join(tmpdir(), prefix))),
  (path) => orAway(() => removed(path))
)

/** Writes bytes to a file that exists until the scope closes. */
export const spooled = <E>(bytes: Bytes<E>) =>
  Effect.gen(function* () {
    const path = join(yield* spoolFolder, "bytes")
    yield* Effect.acquireUseRelease(
      orAway(() => open(path, "wx", 0o600)),
      (file) => eachPiece(bytes, (piece) => orAway(() => file.writeFile(piece))),
      (file) => orAway(() => file.close())
    )
    const { size } = yield* orAway(() => stat(path))
    return { path, size }
  })

/** Reads from any position of a file, which stays open until the scope closes. */
export const readerOf = (path: string) =>
  Effect.acquireRelease(
    orAway(() => open(path)),
    (file) => orAway(() => file.close())
  ).pipe(
    Effect.map(
      (file): ReadInto =>
        async (memory, at) =>
          (await file.read(memory, 0, memory.length, at)).bytesRead
    )
  )

const removeOld = (path: string) =>
  Effect.gen(function* () {
    const { mtimeMs } = yield* Effect.tryPromise(() => stat(path))
    if ((yield* Clock.currentTimeMillis) - mtimeMs > keptFor) yield* Effect.tryPromise(() => removed(path))
  }).pipe(Effect.ignoreLogged)

/** Removes what killed processes have left behind; running processes keep their files in the same place. */
export const SpoolSweep = Layer.scopedDiscard(
  Effect.tryPromise(() => readdir(tmpdir())).pipe(
    Effect.map((names) => names.filter((name) => name.startsWith(prefix)).map((name) => join(tmpdir(), name))),
    Effect.flatMap(Effect.forEach(removeOld, { discard: true })),
    Effect.ignoreLogged,
    Effect.forkScoped
  )
)
