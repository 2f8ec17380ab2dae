import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openPGlite } from "../../src/platform/EmbeddedPostgres.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

it.scoped("A folder that was not unpacked to its end is begun again, and keeps what is written then", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporaryFolder, "postgres")
    const ask = <A>(statement: string) =>
      openPGlite({ folder }).pipe(
        Effect.flatMap((pglite) => Effect.promise(() => pglite.query<A>(statement))),
        Effect.map(({ rows }) => rows),
        Effect.scoped
      )
    // As a process leaves it that dies in the middle.
    yield* Effect.promise(async () => {
      await mkdir(folder)
      await writeFile(join(folder, "PG_VERSION"), "18\n")
      await writeFile(`${folder}.unfinished`, "")
    })
    yield* ask("create table kept as select 7 as seven")
    expect(yield* Effect.promise(() => readdir(join(folder, "..")))).toEqual(["postgres"])
    expect(yield* ask("select seven from kept")).toEqual([{ seven: 7 }])
  })
)
