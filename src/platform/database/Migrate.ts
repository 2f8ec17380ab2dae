import { Migrator, SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { migrations } from "../../../migrations/migrations.ts"
import type { Database } from "./Database.ts"
import { withoutLimit } from "./SilenceLimits.ts"

const table = "casework_migrations"

const everyMigration = Object.keys(migrations)

// Any number will do, as long as all nodes use the same.
const advisoryLock = 4_137_922

/**
 * A copy of another server's database may have events with transaction ids that this server has yet to reach: they
 * would be published again once it gets there.
 */
const settleCopiedEvents = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    /* all customers: the numbers are the server's */
    update event set transaction_id = '3'::xid8 where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())`
)

/** The migrator dies when a migration fails. The operator has to fix that, so it becomes an ordinary error. */
const explainFailed = Effect.catchSomeDefect((defect) =>
  defect instanceof Migrator.MigrationError ? Option.some(Effect.fail(defect)) : Option.none()
)

/** The names of the applied migrations, in order. */
export const appliedMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ migration_id: number; name: string }>`
    select migration_id, name from ${sql(table)} order by migration_id`
  return rows.map((row) => `${String(row.migration_id).padStart(4, "0")}_${row.name}`)
})

/** Whether the database has all migrations of this version; that of a newer version has more. */
export const hasEveryMigration = Effect.map(appliedMigrations, (applied) =>
  everyMigration.every((name) => applied.includes(name))
)

const isComplete = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 where to_regclass(${table}) is not null`
  return found.length > 0 && (yield* hasEveryMigration)
})

const applyPending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The migrator detects a missing table by a query that fails, which would abort the transaction.
  yield* sql`create table if not exists ${sql(table)} (
    migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
  return yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
})

/**
 * Brings the database to this version. Nodes that start at once wait for each other; all pending migrations are one
 * transaction, so a failing one leaves the database as it was. If none is pending, a role that can only read and write
 * rows is enough.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    // Migrating a large table, or waiting for another node to do so, may take longer than a request may.
    yield* sql.unsafe(withoutLimit)
    yield* sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`
    const applied = (yield* isComplete) ? [] : yield* applyPending
    yield* settleCopiedEvents
    return applied
  }).pipe(sql.withTransaction, explainFailed)
})

/** Migrates a database before anything else uses it. */
export const migrated = <E, R>(database: Layer.Layer<Database, E, R>) =>
  Layer.tap(database, (context) => Effect.provide(migrate, context))
