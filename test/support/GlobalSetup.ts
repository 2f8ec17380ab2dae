import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Redacted } from "effect"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { layerFromPGlite, openPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { prepare } from "./Prepare.ts"
import { packed } from "./Template.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** A migrated database with the demo data, as a file to clone or as a template to copy. */
    readonly template:
      | { readonly kind: "embedded"; readonly file: string }
      | { readonly kind: "postgres"; readonly url: string; readonly name: string }
  }
}

/** A clone needs only one database: without the others there are fewer files to copy. */
const dropOthers = async (pglite: PGlite) => {
  const others = await pglite.query<{ name: string }>(
    "select datname as name from pg_database where datname <> current_database()"
  )
  for (const { name } of others.rows) {
    await pglite.exec(`update pg_database set datistemplate = false where datname = '${name}'`)
    await pglite.exec(`drop database ${name}`)
  }
  await pglite.exec("checkpoint")
}

const embedded = async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), "casework-test-"))
  const file = join(folder, "template")
  await Effect.runPromise(
    Effect.gen(function* () {
      const pglite = yield* openPGlite({})
      yield* prepare.pipe(Effect.provide(layerFromPGlite(Effect.succeed(pglite))))
      yield* Effect.promise(() => dropOthers(pglite))
      yield* Effect.promise(() => writeFile(file, packed(pglite)))
    }).pipe(Effect.scoped)
  )
  project.provide("template", { kind: "embedded", file })
  return () => rm(folder, { recursive: true, force: true })
}

const postgres = async (project: TestProject, url: string) => {
  const name = `casework_template_${randomUUID().slice(0, 8)}`
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const templateUrl = new URL(url)
  templateUrl.pathname = `/${name}`
  await Effect.runPromise(prepare.pipe(Effect.provide(layerFromUrl(Redacted.make(templateUrl.href)))))
  project.provide("template", { kind: "postgres", url, name })
  return async () => {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
}

/**
 * Builds the service, its pages and the template once for all test files: a file that built the service itself would
 * overwrite what the processes of another file are reading.
 */
export default async (project: TestProject) => {
  await promisify(execFile)(process.execPath, ["esbuild.config.mjs"])
  const url = process.env["TEST_DATABASE_URL"]
  return url === undefined || url === "" ? embedded(project) : postgres(project, url)
}
