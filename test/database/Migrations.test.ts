import { readdirSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import { migrations } from "../../migrations/migrations.ts"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { appliedMigrations, migrate } from "../../src/platform/database/Migrate.ts"
import { copyOfTemplate, TestDatabase } from "../support/TestDatabase.ts"

const inFolder = readdirSync(new URL("../../migrations/", import.meta.url))
  .filter((file) => /^\d/.test(file))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort()

const template = inject("template")

describe("The list of migrations", () => {
  it("matches the folder, in order and numbered without a gap", () => {
    expect(Object.keys(migrations)).toEqual(inFolder)
    expect(inFolder.map((name) => Number(name.slice(0, 4)))).toEqual(inFolder.map((_, index) => index + 1))
  })
})

layer(TestDatabase, { excludeTestServices: true })("A migrated database", (it) => {
  it.effect("has every migration of the folder", () =>
    Effect.gen(function* () {
      expect(yield* appliedMigrations).toEqual(inFolder)
    })
  )

  it.effect("is left alone by a second run", () =>
    Effect.gen(function* () {
      expect(yield* migrate).toEqual([])
      expect(yield* appliedMigrations).toEqual(inFolder)
    })
  )

  it.effect("has no events from the future after a copy from another server", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into event (customer_id, kind) values (1, 'TicketUpdated')`
      yield* sql`insert into event (customer_id, kind, transaction_id) values (1, 'Copied', '1000000000'::xid8)`
      const numbers = sql<{ number: string }>`
        select transaction_id::text as number from event where customer_id = 1 order by event_id`
      const [before] = yield* numbers
      yield* migrate
      expect(yield* numbers).toEqual([before, { number: "3" }])
    })
  )
})

/** Three nodes that start at the same time. */
const migrateAtOnce = (database: Layer.Layer<SqlClient.SqlClient, unknown>) =>
  Effect.gen(function* () {
    const node = migrate.pipe(Effect.provide(Layer.fresh(database)))
    const applied = yield* Effect.all([node, node, node], { concurrency: 3 })
    expect(applied.map(({ length }) => length).sort()).toEqual([0, 0, inFolder.length])
    expect(yield* appliedMigrations.pipe(Effect.provide(database))).toEqual(inFolder)
  })

const onPostgres = (url: string) =>
  describe("Nodes that start at once on an empty PostgreSQL", () => {
    it.scopedLive("migrate it once", () =>
      Effect.gen(function* () {
        const address = yield* copyOfTemplate(url, "template0")
        yield* migrateAtOnce(layerFromUrl(address))
      })
    )
  })

// The embedded database has one process only, and every run of the tests migrates an empty one.
if (template.kind === "postgres") onPostgres(template.url)
