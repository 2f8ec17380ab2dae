import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, readFile, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const linesOf = async (file: string) => (await readFile(file, "utf8")).split("\n")

/** The sources of COPY: those from this folder, and those from the build stage. */
const copies = async () => {
  const found = (await linesOf("Dockerfile")).flatMap((line) => {
    const [, from, names] = /^COPY (--from=build )?(.+) \S+$/.exec(line) ?? []
    return names === undefined ? [] : names.split(" ").map((name) => ({ name, isBuilt: from !== undefined }))
  })
  return {
    sources: found.filter(({ isBuilt }) => !isBuilt).map(({ name }) => name),
    built: found.filter(({ isBuilt }) => isBuilt).map(({ name }) => name.replace(/^\/app\//, ""))
  }
}

it.scoped("The container gets everything that the build reads, and everything that the service runs", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.promise(async () => {
      const { built, sources } = await copies()
      const shown = (await linesOf(".dockerignore")).filter((line) => line.startsWith("!")).map((line) => line.slice(1))
      expect(shown.toSorted()).toEqual(sources.toSorted())
      for (const name of sources) await cp(name, join(folder, name), { recursive: true })
      await symlink(join(process.cwd(), "node_modules"), join(folder, "node_modules"))
      const build = () => promisify(execFile)(process.execPath, ["esbuild.config.mjs"], { cwd: folder })
      expect((await build()).stderr).toBe("")
      expect(built.filter((name) => !existsSync(join(folder, name)))).toEqual([])
      // An older version that is restored keeps its dates.
      await writeFile(join(folder, "src/main.ts"), 'console.log("put back")')
      await utimes(join(folder, "src/main.ts"), 0, 0)
      await build()
      expect(await readFile(join(folder, "dist/src/main.js"), "utf8")).toContain("put back")
    })
  })
)
