import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Scope, Stream } from "effect"
import { largestPiece } from "../files/BlobStore.ts"
import { orAway } from "../files/OrAway.ts"
import { spoolFolder } from "../files/Spool.ts"
import type { PictureSource } from "./ImageProcessor.ts"

/** A file that has arrived and waits to be processed. */
export interface SpooledFile {
  readonly source: PictureSource
  readonly size: number
  /** The first bytes, enough to recognise a picture. */
  readonly head: Uint8Array
  readonly remove: Effect.Effect<void>
}

const headSize = 16

const removed = (path: string) => orAway(() => rm(path, { force: true }))

/** Copies the bytes: a subarray would keep the whole buffer in memory. */
const headOf = (bytes: Uint8Array) => Uint8Array.from(bytes.subarray(0, headSize))

/**
 * Receives the files of a request, however slowly they arrive. Files larger than a piece go into a folder that exists
 * until the scope closes: any number of requests may wait for their turn, and no slow sender holds up others.
 */
export const makePhotoSpool = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const folder = yield* Effect.cached(Scope.extend(spoolFolder, scope))
  let count = 0

  const create = Effect.flatMap(folder, (path) => {
    count += 1
    const name = join(path, String(count))
    return Effect.acquireRelease(
      orAway(async () => ({ name, file: await open(name, "wx", 0o600) })),
      (created) => orAway(() => created.file.close())
    )
  })

  return <E>(content: Stream.Stream<Uint8Array, E>): Effect.Effect<SpooledFile, E> =>
    Effect.gen(function* () {
      let spooled: { readonly name: string; readonly file: FileHandle } | undefined
      let pieces: Array<Uint8Array> = []
      let [held, size] = [0, 0]
      let head: Uint8Array | undefined
      const flush = Effect.gen(function* () {
        const into = spooled ?? (yield* create)
        spooled = into
        const bytes = Buffer.concat(pieces)
        pieces = []
        held = 0
        head ??= headOf(bytes)
        yield* orAway(() => into.file.writeFile(bytes))
      })
      yield* Stream.runForEach(content, (piece) => {
        pieces.push(piece)
        held += piece.length
        size += piece.length
        return held > largestPiece ? flush : Effect.void
      })
      if (spooled === undefined) {
        const source = Buffer.concat(pieces)
        return { source, size, head: source.subarray(0, headSize), remove: Effect.void }
      }
      yield* flush
      const { name } = spooled
      return { source: name, size, head: head ?? new Uint8Array(), remove: removed(name) }
    }).pipe(Effect.scoped)
})
