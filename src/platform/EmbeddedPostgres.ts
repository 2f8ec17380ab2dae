import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import { gunzip } from "node:zlib"
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, type SqlConnection, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { PGlite, type PGliteOptions, types } from "@electric-sql/pglite"
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { dataDir } from "@electric-sql/pglite-prepopulatedfs"
import { Effect, identity, Layer, Stream } from "effect"
import { leanStatements } from "./LeanStatements.ts"

// What of the database runs often is compiled anew while it runs. Done soon, and on all threads at once, that took the
// cores just when the service starts: begun after ten times as much work and on one thread, it starts in three quarters of the time.
setFlagsFromString("--wasm-num-compilation-tasks=1")
setFlagsFromString("--wasm-tiering-budget=18000000")

/** Bytes as the text that PostgreSQL takes. The embedded one's own ways there and back go byte by byte: 8 MB took seconds. */
const hexOf = (bytes: Uint8Array) =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`

const create = (options: PGliteOptions) =>
  PGlite.create({
    ...options,
    // By default a database takes 128 MB before it has a row, and a good part of a second to write zeros there.
    startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"],
    extensions: { btree_gin, pg_trgm },
    parsers: {
      [types.INT8]: (value) => value,
      [types.NUMERIC]: (value) => value,
      [types.BYTEA]: (value) => Buffer.from(value.slice(2), "hex")
    },
    serializers: { [types.BYTEA]: hexOf }
  })

/** Unzipped here in one go: the database would do it in small pieces, which takes three times as long. */
const emptyCluster = async () => new Blob([await promisify(gunzip)(await (await dataDir()).arrayBuffer())])

/**
 * Unpacks an empty cluster: making one takes seconds. Until it is there to its end a mark stands beside the folder; one
 * that did not get so far, because the process died, holds nothing and is begun again.
 */
const createIn = async (folder: string) => {
  const mark = `${folder}.unfinished`
  if (existsSync(mark)) await rm(folder, { recursive: true, force: true })
  if (existsSync(join(folder, "PG_VERSION"))) return create({ dataDir: folder })
  await mkdir(dirname(folder), { recursive: true })
  await writeFile(mark, "")
  const pglite = await create({ dataDir: folder, loadDataDir: await emptyCluster() })
  await rm(mark)
  return pglite
}

/**
 * Opens the embedded PostgreSQL in a folder, or a copy of one in memory; int8 and numeric come as text and bytes in a Buffer, as the network client gives them. It runs inside this
 * thread, where no timer could stop a statement: a limit as on the network client's statements has no effect here.
 */
export const openPGlite = (from: { readonly folder: string } | { readonly copyOf?: Blob }) =>
  Effect.acquireRelease(
    Effect.promise(async () =>
      "folder" in from ? createIn(from.folder) : create({ loadDataDir: from.copyOf ?? (await emptyCluster()) })
    ),
    (pglite) => Effect.promise(async () => (pglite.closed ? undefined : pglite.close()))
  )

type Guard = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const makeConnection = (pglite: PGlite, guard: Guard): SqlConnection.Connection => {
  const run = <A>(evaluate: () => Promise<A>) =>
    guard(
      Effect.tryPromise({
        try: evaluate,
        catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to execute statement" })
      })
    )
  const execute: SqlConnection.Connection["execute"] = (sql, params, transform) => {
    const rows = run(async () => {
      if (params.length > 0) return (await pglite.query<object>(sql, [...params])).rows
      // Only the simple protocol takes several statements in one text, as migrations do.
      const results = await pglite.exec(sql)
      return results.length === 1 ? (results[0]?.rows ?? []) : results.map((result) => result.rows)
    })
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => run(() => pglite.query(sql, [...params])),
    executeValues: (sql, params) =>
      run(async () => (await pglite.query<Array<unknown>>(sql, [...params], { rowMode: "array" })).rows),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(execute(sql, params, transform), Stream.fromIterable))
  }
}

/** One connection for all: a transaction holds it until it ends, everything else waits its turn. */
const makeClient = (pglite: PGlite) =>
  Effect.gen(function* () {
    const semaphore = yield* Effect.makeSemaphore(1)
    const held = makeConnection(pglite, identity)
    return yield* SqlClient.make({
      acquirer: Effect.succeed(makeConnection(pglite, semaphore.withPermits(1))),
      transactionAcquirer: Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* restore(semaphore.take(1))
          yield* Effect.addFinalizer(() => semaphore.release(1))
          return held
        })
      ),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
  })

export const layerFromPGlite = <E, R>(pglite: Effect.Effect<PGlite, E, R>) =>
  Layer.scoped(SqlClient.SqlClient, pglite.pipe(Effect.flatMap(makeClient), Effect.map(leanStatements))).pipe(
    Layer.provide(Reactivity.layer)
  )
