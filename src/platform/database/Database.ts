import { join } from "node:path"
import { SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Cause, type ConfigError, Context, Effect, Layer, Option, Redacted } from "effect"
import pg from "pg"
import { noLongerThan } from "../concurrency/NoLongerThan.ts"
import { patiently } from "../concurrency/StartPatience.ts"
import { type FolderInUse, lockFolder } from "../settings/FolderLock.ts"
import { Settings } from "../settings/Settings.ts"
import { sampleBy } from "../telemetry/Sampling.ts"
import { databaseConnections } from "../telemetry/ServiceMetrics.ts"
import { leaveForAfterCommit } from "./AfterCommit.ts"
import { isDatabaseAway } from "./DatabaseAway.ts"
import { checkRoom, watchRoom } from "./DiskRoom.ts"
import { layerFromPGlite, openPGlite } from "./EmbeddedPostgres.ts"
import { InTransaction } from "./InTransaction.ts"
import { leanStatements } from "./LeanStatements.ts"
import { prepareStatements } from "./PreparedStatements.ts"
import { repeatTransactions } from "./RepeatedTransactions.ts"
import { shareConnections } from "./SharedConnections.ts"
import { breakOffWhenSilent, limitSilence, SilenceLimits } from "./SilenceLimits.ts"

const statementTimeout = 30_000

const sampleConnections = (pool: pg.Pool, countShared: () => number) =>
  sampleBy(
    Effect.sync(() => {
      databaseConnections.set(pool.totalCount - pool.idleCount, { state: "busy" })
      databaseConnections.set(pool.idleCount, { state: "idle" })
      databaseConnections.set(pool.waitingCount, { state: "waiting" })
      databaseConnections.set(countShared(), { state: "shared" })
    })
  )

/**
 * Limits statements and idle transactions. JIT is off: the planner cannot see how short a page is, and would spend 30
 * ms each time compiling a statement that takes 1 ms. Set once connected, since poolers refuse such startup options.
 */
const settings = `set jit = off; set statement_timeout = ${statementTimeout};
  set idle_in_transaction_session_timeout = ${2 * statementTimeout}`

/**
 * Requires UTF-8, since a smaller encoding would fail on every text that it cannot store, and a locale that knows more
 * than ASCII: otherwise "Ärger" and "ärger" would be two names, and a search for one would miss the other.
 */
const checkTexts = (pool: pg.Pool) =>
  Effect.tryPromise({
    try: () =>
      pool.query<{ encoding: string; knowsCase: boolean }>(
        // Ä and ä by code point: other encodings may not be able to represent them.
        `select getdatabaseencoding() as encoding,
          case when getdatabaseencoding() = 'UTF8' then lower(chr(196)) = chr(228) else false end as "knowsCase"`
      ),
    catch: (cause) => new SqlError.SqlError({ cause, message: "The database at DATABASE_URL cannot be reached" })
  }).pipe(
    Effect.map(({ rows }) => {
      if (rows[0]?.encoding !== "UTF8") return `its encoding is ${rows[0]?.encoding} and must be UTF8`
      return rows[0].knowsCase ? undefined : "its locale supports upper and lower case only for ASCII letters"
    }),
    Effect.filterOrFail(
      (problem) => problem === undefined,
      (problem) =>
        new SqlError.SqlError({
          cause: new Error(
            `${problem}. Create another database: create database … encoding 'UTF8' locale 'C.UTF-8' template template0`
          ),
          message: "The database at DATABASE_URL cannot be used"
        })
    )
  )

const isAway = (error: SqlError.SqlError) => isDatabaseAway(Cause.fail(error))

const openPool = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const silence = yield* SilenceLimits
    const pool = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new pg.Pool({
            connectionString: Redacted.value(url),
            application_name: "casework",
            // `shareConnections` opens up to four more.
            max: 20,
            connectionTimeoutMillis: 10_000,
            keepAlive: true,
            keepAliveInitialDelayMillis: 10_000,
            onConnect: (client) => {
              breakOffWhenSilent(client, silence.pooled)
              return client.query(settings)
            }
          })
      ),
      (opened) => noLongerThan("2 seconds")(Effect.promise(() => opened.end()))
    )
    // Without a listener, an idle connection that the server drops would end the process.
    pool.on("error", () => undefined)
    pool.on("connect", prepareStatements)
    // The connection's last transaction may have lifted the limit.
    pool.on("acquire", (client) => limitSilence(client, silence.pooled))
    yield* patiently("the database", isAway)(checkTexts(pool))
    return pool
  })

export const layerFromUrl = (url: Redacted.Redacted) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const pool = yield* openPool(url)
      const shared = yield* shareConnections(pool)
      yield* sampleConnections(pool, shared.countOpen)
      return Layer.map(PgClient.layerFromPool({ acquire: Effect.succeed(pool) }), (clients) =>
        Context.add(
          clients,
          SqlClient.SqlClient,
          leaveForAfterCommit(repeatTransactions(leanStatements(Context.get(clients, SqlClient.SqlClient), shared.run)))
        )
      )
    })
  ).pipe((client) => Layer.provideMerge(InTransaction.layer, client))

const embedded = (dataDir: string) => {
  const open = Effect.gen(function* () {
    yield* lockFolder(dataDir)
    yield* checkRoom(dataDir)
    const pglite = yield* openPGlite({ folder: join(dataDir, "postgres") })
    // Creating a database uses up some of the space itself.
    yield* checkRoom(dataDir)
    return pglite
  })
  return Layer.scopedDiscard(watchRoom(dataDir)).pipe(Layer.provideMerge(layerFromPGlite(open)))
}

/** What the database is for: SQL for repos, transactions for services. */
export type Database = SqlClient.SqlClient | InTransaction

/** Why the database may be unavailable. */
export type DatabaseError = SqlError.SqlError | FolderInUse | ConfigError.ConfigError

/** PostgreSQL at DATABASE_URL, or the embedded one in DATA_DIR: the same SQL on both. */
export const DatabaseLive: Layer.Layer<Database, DatabaseError, Settings> = Layer.unwrapEffect(
  Effect.map(Settings, ({ databaseUrl, dataDir }) =>
    Option.match(databaseUrl, {
      onNone: (): Layer.Layer<Database, DatabaseError> => embedded(dataDir),
      onSome: layerFromUrl
    })
  )
)
