import { execFile } from "node:child_process"
import { chown, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import pg from "pg"
import { freePort } from "../support/Processes.ts"

const run = promisify(execFile)

const folderOfVersions = "/usr/lib/postgresql"

/** Where the server's programs are: the newest installed version, else whatever the path has. */
const programs = async () => {
  const versions = await readdir(folderOfVersions).catch(() => [])
  const newest = versions
    .map(Number)
    .filter(Number.isFinite)
    .sort((a, b) => b - a)[0]
  return newest === undefined ? "" : `${folderOfVersions}/${newest}/bin/`
}

const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root: there it runs as its own user. */
const asOwner = (program: string, given: ReadonlyArray<string>) =>
  isRoot ? run("runuser", ["-u", "postgres", "--", program, ...given]) : run(program, [...given])

const ownership = async (folder: string) => {
  if (!isRoot) return
  const { stdout } = await run("id", ["-u", "postgres"])
  const user = Number(stdout.trim())
  await chown(folder, user, user)
}

export interface ThrowawayPostgres {
  readonly port: number
  readonly url: (port?: number) => string
  readonly stop: (mode: "fast" | "immediate") => Effect.Effect<void>
  readonly start: Effect.Effect<void>
  readonly query: (
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Record<string, unknown>>>
}

/** An empty PostgreSQL server that is removed with the scope: whatever is done to it disturbs nobody else. */
export const throwawayPostgres = Effect.gen(function* () {
  const bin = yield* Effect.promise(programs)
  const folder = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = await mkdtemp(join(tmpdir(), "casework-faults-"))
      await ownership(made)
      return made
    }),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const data = join(folder, "data")
  const port = yield* freePort
  const control = (...given: ReadonlyArray<string>) =>
    Effect.promise(() => asOwner(`${bin}pg_ctl`, ["-D", data, "-w", "-t", "60", ...given]))
  const start = Effect.asVoid(
    control("start", "-l", join(folder, "log"), "-o", `-p ${port} -c listen_addresses=127.0.0.1 -k ${folder} -F`)
  )
  const stop = (mode: "fast" | "immediate") => Effect.asVoid(control("stop", "-m", mode))
  yield* Effect.promise(() =>
    asOwner(`${bin}initdb`, [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
      "--no-sync"
    ])
  )
  yield* Effect.acquireRelease(start, () => Effect.ignore(Effect.sandbox(stop("immediate"))))
  const url = (at = port) => `postgres://postgres@127.0.0.1:${at}/postgres`
  return {
    port,
    url,
    start,
    stop,
    query: (text, values = []) =>
      Effect.promise(async () => {
        const client = new pg.Client({ connectionString: url() })
        await client.connect()
        try {
          return (await client.query<Record<string, unknown>>(text, [...values])).rows
        } finally {
          await client.end()
        }
      })
  } satisfies ThrowawayPostgres
})
