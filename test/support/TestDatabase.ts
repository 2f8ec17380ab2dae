import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { layerFromPGlite, openPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { CopyOf, type Template, unpacked } from "./Template.ts"

let known: Template | undefined

/** The embedded database as a clone of the template. */
export const cloneOfTemplate = (file: string) =>
  Effect.suspend(() => {
    known ??= unpacked(readFileSync(file))
    return openPGlite({ disk: new CopyOf(known) })
  })

const withAdmin = (url: string, statement: string) =>
  Effect.promise(async () => {
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query(statement)
    await admin.end()
  })

/** The URL of a copy of the template that is dropped with the scope. */
export const copyOfTemplate = (url: string, template: string) =>
  Effect.gen(function* () {
    const name = `casework_test_${randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(withAdmin(url, `create database ${name} template ${template}`), () =>
      withAdmin(url, `drop database if exists ${name} with (force)`)
    )
    const copy = new URL(url)
    copy.pathname = `/${name}`
    return Redacted.make(copy.href)
  })

/** A separate database for each layer that is built: a clone of the migrated template with the demo data. */
export const TestDatabase = Layer.unwrapScoped(
  Effect.gen(function* () {
    const template = inject("template")
    return template.kind === "embedded"
      ? layerFromPGlite(cloneOfTemplate(template.file))
      : layerFromUrl(yield* copyOfTemplate(template.url, template.name))
  })
)

export const onPostgres = inject("template").kind === "postgres"

/** How many transactions wait for locks of the current one. */
export const waitingForMe = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks
    where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
).pipe(Effect.map(([row]) => row?.waiting ?? 0))
