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
import { leanStatements } from "./LeanStatements.ts"
import { type OnResult, statementOf } from "./PreparedStatements.ts"

// What of the database runs often is compiled anew while it runs. Done soon, and on all threads at once, that took the
// cores just when the service starts: begun after ten times as much work and on one thread, it starts in three quarters of the time.
setFlagsFromString("--wasm-num-compilation-tasks=1")
setFlagsFromString("--wasm-tiering-budget=18000000")
// Each function is looked through when it is first called, not all of them before the first.
setFlagsFromString("--wasm-lazy-validation")

const create = (options: PGliteOptions) =>
  PGlite.create({
    ...options,
    // By default a database takes 128 MB before it has a row, and a good part of a second to write zeros there.
    startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"],
    extensions: { btree_gin, pg_trgm }
  })

/**
 * Unpacks an empty cluster, since making one takes seconds. Until all of it is there, a mark stands beside the folder:
 * a cluster with a mark, whose process died, holds nothing and is begun again.
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

/** Where a database may be that is in no folder. */
type Disk = NonNullable<PGliteOptions["fs"]>

/**
 * Opens the embedded PostgreSQL in a folder, on a disk that holds one, or empty in memory. It runs inside this thread, where no timer could stop a
 * statement: a limit as on PostgreSQL's statements has no effect here.
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
    // The answer comes in a moment, and the client takes the next statement only after it.
    return guard(Effect.uninterruptible(answer))
  }
  const executeRaw = (sql: string, params: ReadonlyArray<unknown>) =>
    ask((onResult) => client.query(statementOf(sql, params, onResult)))
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
  ).pipe(Layer.provide(Reactivity.layer))
