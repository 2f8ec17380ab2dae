import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setFlagsFromString } from "node:v8"
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, type SqlConnection, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { Effect, identity, Layer, Stream } from "effect"
import type pg from "pg"
import { leaveForAfterCommit } from "./AfterCommit.ts"
import { connectTo } from "./EmbeddedWire.ts"
import { emptyCluster, unpackCluster } from "./EmptyCluster.ts"
import { InTransaction } from "./InTransaction.ts"
import { leanStatements } from "./LeanStatements.ts"
import { type OnResult, statementOf } from "./PreparedStatements.ts"

// V8 recompiles the database's hot functions while it runs. By default it does so early and on all threads, which takes
// the cores just as the service starts: with a budget ten times as large and one thread, starting takes three quarters
// of the time.
setFlagsFromString("--wasm-num-compilation-tasks=1")
setFlagsFromString("--wasm-tiering-budget=18000000")
// Validates each function on its first call instead of all of them up front.
setFlagsFromString("--wasm-lazy-validation")

const create = (options: PGliteOptions) =>
  PGlite.create({
    ...options,
    // The default is 128 MB, taken before there is a single row; zeroing it takes a good part of a second.
    startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"],
    extensions: { btree_gin, pg_trgm }
  })

/**
 * Unpacks an empty cluster, since initialising one takes seconds. A marker file stands beside the folder until all of
 * it is there: a cluster with a marker is left from a process that died, holds no data, and is unpacked again.
 */
const createIn = async (folder: string) => {
  const mark = `${folder}.unfinished`
  if (existsSync(mark)) await rm(folder, { recursive: true, force: true })
  if (existsSync(join(folder, "PG_VERSION"))) return create({ dataDir: folder })
  await mkdir(dirname(folder), { recursive: true })
  await writeFile(mark, "")
  await unpackCluster(folder)
  await rm(mark)
  return create({ dataDir: folder })
}

/** The file system of a database that is not kept in a folder. */
type Disk = NonNullable<PGliteOptions["fs"]>

/**
 * Opens the embedded PostgreSQL in a folder, on the given file system, or empty in memory. It runs in this thread,
 * where no timer could stop a statement: a statement timeout as on PostgreSQL has no effect here.
 */
export const openPGlite = (on: { readonly folder: string } | { readonly disk?: Disk }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      if ("folder" in on) return createIn(on.folder)
      return create(on.disk === undefined ? { loadDataDir: new Blob([await emptyCluster()]) } : { fs: on.disk })
    }),
    (pglite) => Effect.promise(async () => (pglite.closed ? undefined : pglite.close()))
  )

type Guard = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

type Result = pg.QueryResult | ReadonlyArray<pg.QueryResult>

const rowsOf = (result: Result) => ("rows" in result ? result.rows : result.map(({ rows }) => rows))

const makeConnection = (client: pg.Client, guard: Guard): SqlConnection.Connection => {
  const ask = (submit: (onResult: OnResult) => void) => {
    const answer = Effect.async<Result, SqlError.SqlError>((resume) =>
      submit((cause, result) =>
        resume(
          cause ? new SqlError.SqlError({ cause, message: "Failed to execute statement" }) : Effect.succeed(result)
        )
      )
    )
    // The result comes in a moment, and the client accepts the next statement only after it.
    return guard(Effect.uninterruptible(answer))
  }
  const executeRaw = (sql: string, params: ReadonlyArray<unknown>) =>
    ask((onResult) => client.query(statementOf(client, sql, params, onResult)))
  const execute: SqlConnection.Connection["execute"] = (sql, params, transform) => {
    const rows = Effect.map(executeRaw(sql, params), rowsOf)
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  return {
    execute,
    executeUnprepared: execute,
    executeRaw,
    executeValues: (sql, params) =>
      ask((onResult) => client.query({ text: sql, values: [...params], rowMode: "array" }, onResult)).pipe(
        Effect.map(rowsOf)
      ),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(execute(sql, params, transform), Stream.fromIterable))
  }
}

/** One connection for all: a transaction holds it until it ends, everything else waits its turn. */
const makeClient = (client: pg.Client) =>
  Effect.gen(function* () {
    const semaphore = yield* Effect.makeSemaphore(1)
    const held = makeConnection(client, identity)
    return yield* SqlClient.make({
      acquirer: Effect.succeed(makeConnection(client, semaphore.withPermits(1))),
      transactionAcquirer: Effect.as(
        Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1)),
        held
      ),
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]]
    })
  })

export const layerFromPGlite = <E, R>(pglite: Effect.Effect<PGlite, E, R>) =>
  Layer.scoped(
    SqlClient.SqlClient,
    pglite.pipe(
      Effect.flatMap(connectTo),
      Effect.flatMap(makeClient),
      Effect.map(leanStatements),
      Effect.map(leaveForAfterCommit)
    )
  ).pipe(Layer.provide(Reactivity.layer), (client) => Layer.provideMerge(InTransaction.layer, client))
