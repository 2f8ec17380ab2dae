import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { layerFromUrl } from "../../src/platform/Database.ts"
import { layerFromPGlite } from "../../src/platform/EmbeddedPostgres.ts"
import { send, testApp, testNode } from "../support/TestApp.ts"
import { cloneOfTemplate, copyOfTemplate } from "../support/TestDatabase.ts"

const template = inject("template")

/** A database and the means to take it away from under the service. */
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
