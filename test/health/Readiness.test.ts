import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { layerFromPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { eventually } from "../support/Eventually.ts"
import { throughVanishing } from "../support/Pooler.ts"
import { send, sendJson, testApp, testNode } from "../support/TestApp.ts"
import { cloneOfTemplate, copyOfTemplate } from "../support/TestDatabase.ts"

const template = inject("template")

/** A database, and an effect that takes it away from the running service. */
const breakable = Effect.gen(function* () {
  if (template.kind === "embedded") {
    const pglite = yield* cloneOfTemplate(template.file)
    return { database: layerFromPGlite(Effect.succeed(pglite)), takeAway: Effect.promise(() => pglite.close()) }
  }
  const url = yield* copyOfTemplate(template.url, template.name)
  const takeAway = Effect.promise(async () => {
    const admin = new pg.Client({ connectionString: template.url })
    await admin.connect()
    await admin.query(`drop database ${new URL(Redacted.value(url)).pathname.slice(1)} with (force)`)
    await admin.end()
  })
  return { database: layerFromUrl(url), takeAway }
})

const ready = send("GET", "/health/ready")

const metrics = send("GET", "/metrics", { headers: { authorization: "Bearer test-metrics-token" } })

describe("Readiness", () => {
  it.scopedLive("is refused while a migration is missing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect(yield* ready).toMatchObject({ status: 200, json: { status: "ok" } })
      yield* sql`update casework_migrations set name = 'another' where migration_id = 1`
      expect(yield* ready).toMatchObject({
        status: 503,
        json: { status: 503, error: "Service Unavailable", message: expect.stringContaining("migration") }
      })
      expect((yield* send("GET", "/health/live")).status).toBe(200)
    }).pipe(Effect.provide(testApp()))
  )

  it.scopedLive("is refused while the database is read-only, and so are requests that write", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const body = { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" }
      expect((yield* sendJson("POST", "/api/Auth/login", { body })).status).toBe(200)
      expect((yield* metrics).text).toContain("\ncasework_database_up 1\n")
      if (template.kind === "embedded") yield* sql`set default_transaction_read_only = on`
      else {
        const [row] = yield* sql<{ name: string }>`select current_database() as name`
        yield* sql`alter database ${sql((yield* Effect.fromNullable(row)).name)} set default_transaction_read_only = on`
        // Ends all connections but this one, and then this one.
        yield* sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
        yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      }
      const refused = { status: 503, json: { message: expect.stringContaining("does not accept changes") } }
      yield* eventually(ready, ({ status, text }) => status === 503 && text.includes("does not accept changes"))
      expect(yield* ready).toMatchObject(refused)
      expect(yield* sendJson("POST", "/api/Auth/login", { body })).toMatchObject(refused)
      expect((yield* metrics).text).toContain("\ncasework_database_up 0\n")
      expect((yield* send("GET", "/health/live")).status).toBe(200)
    }).pipe(Effect.provide(testApp()))
  )

  it.scopedLive("is refused when the database is gone, and the process stays up", () =>
    Effect.gen(function* () {
      const { database, takeAway } = yield* breakable
      yield* Effect.gen(function* () {
        expect((yield* ready).status).toBe(200)
        yield* takeAway
        expect(yield* ready).toMatchObject({
          status: 503,
          json: { status: 503, error: "Service Unavailable", message: expect.any(String) }
        })
        expect((yield* send("GET", "/health/live")).status).toBe(200)
      }).pipe(Effect.provide(testNode(database).pipe(Layer.fresh)))
    })
  )
})

const onPostgres = (url: string, name: string) =>
  describe("A database that falls silent", () => {
    it.scopedLive("is reported within the time that a check may take", () =>
      Effect.gen(function* () {
        const host = yield* throughVanishing(yield* copyOfTemplate(url, name))
        yield* Effect.gen(function* () {
          expect((yield* ready).status).toBe(200)
          expect((yield* metrics).text).toContain("\ncasework_database_up 1\n")
          yield* host.vanish
          const [slowReady, notReady] = yield* Effect.timed(ready)
          const [slowMetrics, { text }] = yield* Effect.timed(metrics)
          expect(notReady).toMatchObject({ status: 503, json: { message: "The database does not respond." } })
          expect(text).toContain("\ncasework_database_up 0\n")
          expect(Duration.toMillis(slowReady)).toBeLessThan(4500)
          expect(Duration.toMillis(slowMetrics)).toBeLessThan(4500)
        }).pipe(Effect.provide(testNode(layerFromUrl(host.url))))
      })
    )
  })

if (template.kind === "postgres") onPostgres(template.url, template.name)
