import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, type Scope, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobStore } from "../../src/files/BlobStore.ts"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import { BlobsRepo } from "../../src/files/BlobsRepo.ts"
import { inOneLine } from "../../src/KnownError.ts"
import { s3Server } from "../support/S3Server.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const [acme, globex] = [CustomerID.make(1), CustomerID.make(2)]

/** The number of stored blobs, complete or not. */
class Count extends Context.Tag("test/Count")<Count, Effect.Effect<number, unknown, SqlClient.SqlClient>>() {}

interface Place {
  readonly settings: Readonly<Record<string, string>>
  readonly count: Context.Tag.Service<Count>
}

const folder = Effect.map(
  temporaryFolder,
  (DATA_DIR): Place => ({
    settings: { BLOB_STORE: "folder", DATA_DIR },
    count: Effect.promise(async () => {
      const entries = await readdir(join(DATA_DIR, "files"), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).length
    })
  })
)

const postgres = Effect.succeed<Place>({
  settings: { BLOB_STORE: "postgres" },
  count: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ count: number }>`
      /* all customers: by hand */ select count(distinct blob_id)::int as count from blob_chunk`
    return (yield* Effect.fromNullable(row)).count
  })
})

const s3 = Effect.map(
  s3Server,
  ({ blobStore, objects }): Place => ({
    settings: { BLOB_STORE: blobStore },
    count: Effect.sync(() => objects.size)
  })
)

/** Bytes that differ everywhere, so that no two places can be mixed up. */
const pattern = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) % 251)

const pieces = (bytes: Uint8Array, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )

const read = (bytes: Stream.Stream<Uint8Array>) =>
  Stream.runCollect(bytes).pipe(Effect.map((chunks) => Buffer.concat([...chunks])))

const contract = (place: Effect.Effect<Place, never, Scope.Scope>) =>
  Layer.unwrapScoped(
    Effect.map(place, ({ count, settings }) =>
      Layer.mergeAll(BlobStoreLive, BlobsRepo.layer).pipe(
        Layer.provide(StatementAudit),
        Layer.provideMerge(TestDatabase),
        Layer.provide(settingsLayer(settings)),
        Layer.merge(Layer.succeed(Count, count))
      )
    )
  )

for (const [name, place] of Object.entries({ folder, postgres, s3 })) {
  layer(contract(place), { excludeTestServices: true })(`The ${name} store`, (it) => {
    it.effect("gives back what it was given, whole and in parts", () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const repo = yield* BlobsRepo
        for (const size of [0, 1, 262_143, 262_144, 262_145, 1_000_000]) {
          const bytes = pattern(size)
          const blobID = yield* repo.register(acme)
          yield* store.put(acme, blobID, pieces(bytes, 65_536))
          expect(Buffer.compare(yield* read(store.get(acme, blobID)), bytes)).toBe(0)
          yield* store.check(acme, [blobID])
          const head = yield* read(store.get(acme, blobID, { start: 0, end: 9 }))
          expect(Buffer.compare(head, bytes.subarray(0, 10)), `the head of ${size}`).toBe(0)
          for (const start of [0, 1, 262_143, 262_144, 600_000].filter((at) => at < size)) {
            for (const end of [start, start + 1, 262_144, 700_000, size - 1].filter((at) => at >= start && at < size)) {
              const part = yield* read(store.get(acme, blobID, { start, end }))
              const piece = yield* store.getPiece(acme, blobID, { start, end })
              for (const found of [part, piece]) {
                expect(Buffer.compare(found, bytes.subarray(start, end + 1)), `${start}-${end} of ${size}`).toBe(0)
              }
            }
          }
        }
      })
    )

    it.effect("removes a blob, also when there is none", () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const blobID = yield* (yield* BlobsRepo).register(acme)
        const before = yield* yield* Count
        yield* store.put(acme, blobID, pieces(pattern(300_000), 65_536))
        expect(yield* yield* Count).toBe(before + 1)
        yield* store.remove(acme, blobID)
        yield* store.remove(acme, blobID)
        expect(yield* yield* Count).toBe(before)
        expect(Exit.isFailure(yield* Effect.exit(read(store.get(acme, blobID))))).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(store.getPiece(acme, blobID, { start: 0, end: 9 })))).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(store.check(acme, [blobID])))).toBe(true)
      })
    )

    it.effect("does not give one customer's bytes to another", () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const blobID = yield* (yield* BlobsRepo).register(acme)
        yield* store.put(acme, blobID, pieces(pattern(10), 10))
        expect(Exit.isFailure(yield* Effect.exit(read(store.get(globex, blobID))))).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(store.getPiece(globex, blobID, { start: 0, end: 9 })))).toBe(true)
        yield* store.put(globex, yield* (yield* BlobsRepo).register(globex), pieces(pattern(10), 10))
        yield* store.remove(globex, blobID)
        expect(yield* read(store.get(acme, blobID))).toHaveLength(10)
      })
    )

    it.effect("keeps nothing of a blob that breaks off", () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const blobID = yield* (yield* BlobsRepo).register(acme)
        const before = yield* yield* Count
        const broken = Stream.concat(pieces(pattern(600_000), 65_536), Stream.fail("broken" as const))
        expect(yield* Effect.flip(store.put(acme, blobID, broken))).toBe("broken")
        expect(yield* yield* Count).toBe(before)
      })
    )

    it.effect("keeps nothing of a blob whose storing is interrupted", () =>
      Effect.gen(function* () {
        const store = yield* BlobStore
        const blobID = yield* (yield* BlobsRepo).register(acme)
        const before = yield* yield* Count
        const underWay = yield* Deferred.make<void>()
        const endless = pieces(pattern(600_000), 65_536).pipe(
          Stream.concat(Stream.fromEffect(Deferred.succeed(underWay, undefined)).pipe(Stream.drain)),
          Stream.concat(Stream.never)
        )
        const fiber = yield* Effect.fork(store.put(acme, blobID, endless))
        yield* Deferred.await(underWay)
        yield* Fiber.interrupt(fiber)
        expect(yield* yield* Count).toBe(before)
      })
    )
  })
}

const away = s3Server.pipe(
  Effect.tap(({ stop }) => stop),
  Effect.map(({ blobStore }): Place => ({ settings: { BLOB_STORE: blobStore }, count: Effect.succeed(0) }))
)

layer(contract(away), { excludeTestServices: true })("A store that is away", (it) => {
  it.effect("says why it takes nothing", () =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const blobID = yield* (yield* BlobsRepo).register(acme)
      const exit = yield* Effect.exit(store.put(acme, blobID, Stream.make(pattern(100))))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("ECONNREFUSED")
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("A folder for files that cannot be created", (it) => {
  it.scoped("stops the start, in a line that names the setting", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "file")
      yield* Effect.promise(() => writeFile(file, "x"))
      const store = BlobStoreLive.pipe(Layer.provide(settingsLayer({ BLOB_STORE: "folder", DATA_DIR: file })))
      const cause = yield* Effect.flip(Effect.sandbox(Layer.launch(store)))
      expect(inOneLine(cause)).toBe(
        `Settings: DATA_DIR: Cannot write to the folder ${join(file, "files")}: ENOTDIR: not a directory`
      )
    })
  )
})
