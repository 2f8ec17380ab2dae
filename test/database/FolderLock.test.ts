import { execFile, spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Cause, Context, Effect, Layer } from "effect"
import { inOneLine } from "../../src/KnownError.ts"
import { lockFolder } from "../../src/platform/settings/FolderLock.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Takes the lock, says so, and keeps it until its input ends. */
const holder = `
import { Effect } from "effect"
import { lockFolder } from "./src/platform/settings/FolderLock.js"
const program = Effect.gen(function*() {
  yield* lockFolder(process.argv[2])
  console.log("locked")
  yield* Effect.async((resume) => { process.stdin.on("end", () => resume(Effect.void)).resume() })
})
await Effect.runPromise(Effect.scoped(program)).catch((error) => { console.log("refused " + error.message) })
`

/** The lock as plain JavaScript, to be run in separate processes. */
class Compiled extends Context.Tag("test/Compiled")<Compiled, { readonly script: string; readonly folder: string }>() {
  static readonly layer = Layer.scoped(
    Compiled,
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = await mkdtemp(join(tmpdir(), "casework-lock-"))
        const source = join(root, "src/platform/settings/FolderLock.ts")
        const options =
          "--target es2022 --lib es2024 --module nodenext --rewriteRelativeImportExtensions --skipLibCheck"
        const compiler = join(root, "node_modules/typescript/bin/tsc")
        await promisify(execFile)(
          process.execPath,
          [
            compiler,
            source,
            ...options.split(" "),
            "--types",
            "node",
            "--rootDir",
            root,
            "--outDir",
            folder,
            "--ignoreConfig"
          ],
          { cwd: root }
        )
        await symlink(join(root, "node_modules"), join(folder, "node_modules"))
        await writeFile(join(folder, "package.json"), '{"type":"module"}')
        const script = join(folder, "hold.js")
        await writeFile(script, holder)
        return { script, folder }
      }),
      ({ folder }) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    )
  )
}

const newFolder = Effect.flatMap(Compiled, ({ folder }) => Effect.promise(() => mkdtemp(join(folder, "data-"))))

// Runs a command as in a container of its own, where it is process number 1.
const asContainer = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
const hasContainers = spawnSync("unshare", [...asContainer.slice(1), "true"]).status === 0

/** A process that tries to take the lock; its first line says how that went. */
const startHolder = (folder: string, within: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { script } = yield* Compiled
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const [command = "", ...words] = [...within, process.execPath, script, folder]
        return spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] })
      }),
      (process) => Effect.sync(() => process.kill("SIGKILL"))
    )
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    const firstLine = yield* Effect.promise(
      () =>
        new Promise<string>((resolve) => child.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())))
    )
    const end = (how: "stop" | "kill") =>
      Effect.promise(() => {
        if (how === "kill") child.kill("SIGKILL")
        else child.stdin.end()
        return ended
      })
    return { firstLine, pid: yield* Effect.fromNullable(child.pid), end }
  })

const claims = (folder: string) =>
  Effect.promise(async () => (await readdir(folder)).filter((name) => name.startsWith("casework.lock")))

const claim = (folder: string, pid: number, started: string) =>
  Effect.promise(() =>
    writeFile(join(folder, `casework.lock.${pid}.${started}.00000000-0000-4000-8000-000000000000`), "")
  )

layer(Compiled.layer, { excludeTestServices: true })("The data folder", (it) => {
  it.scoped("is refused to a second process while the first lives, and free when it stopped", () =>
    Effect.gen(function* () {
      const folder = join(yield* newFolder, "made", "here")
      const first = yield* startHolder(folder)
      expect(first.firstLine).toBe("locked")
      const second = yield* startHolder(folder)
      expect(second.firstLine).toBe(
        `refused The data folder ${folder} is in use by process ${first.pid}. Stop it, or set DATA_DIR to another folder, or set DATABASE_URL to share a PostgreSQL database.`
      )
      yield* first.end("stop")
      expect(yield* claims(folder)).toEqual([])
      expect((yield* startHolder(folder)).firstLine).toBe("locked")
    })
  )

  it.scoped("is taken over from a process that was killed", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const first = yield* startHolder(folder)
      yield* first.end("kill")
      expect(yield* claims(folder)).toHaveLength(1)
      expect((yield* startHolder(folder)).firstLine).toBe("locked")
      expect(yield* claims(folder)).toHaveLength(1)
    })
  )

  it.scoped("goes to exactly one of many that find a stale lock", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const dead = yield* startHolder(folder)
      yield* dead.end("kill")
      const racers = yield* Effect.all(
        Array.from({ length: 5 }, () => startHolder(folder)),
        { concurrency: 5 }
      )
      const lines = racers.map(({ firstLine }) => firstLine.split(" ")[0]).sort()
      expect(lines).toEqual(["locked", "refused", "refused", "refused", "refused"])
    })
  )

  it.scoped("is not held by a stale claim whose process number was reused", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* claim(folder, process.pid, "1")
      yield* lockFolder(folder)
      expect(yield* claims(folder)).toHaveLength(1)
      const other = yield* newFolder
      // Process 1 is always alive; where the system tells its start time, that differs from the one in this claim.
      if (existsSync("/proc/1/stat")) yield* claim(other, 1, "999999999999")
      yield* lockFolder(other)
    })
  )

  it.scoped("is refused to the same process a second time, and free again after its scope", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* lockFolder(folder)
          const refused = yield* Effect.flip(lockFolder(folder))
          expect(refused.message).toContain(`in use by process ${process.pid}`)
        })
      )
      yield* lockFolder(folder)
    })
  )

  it.scoped("waits a moment for a process that is just stopping", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const first = yield* startHolder(folder)
      const next = yield* Effect.fork(startHolder(folder))
      yield* first.end("stop")
      expect((yield* next).firstLine).toBe("locked")
    })
  )

  it.scoped("is refused to a neighbour with the same process number", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const first = yield* startHolder(folder)
      const [name = ""] = yield* claims(folder)
      const neighbour = name.replace(String(first.pid), String(process.pid))
      yield* Effect.promise(() => rename(join(folder, name), join(folder, neighbour)))
      const refused = yield* Effect.flip(lockFolder(folder))
      expect(refused.message).toContain(`in use by process ${process.pid}`)
      yield* first.end("kill")
      yield* lockFolder(folder)
    })
  )

  if (hasContainers) {
    it.scoped("belongs to one container at a time, and to the next one when that was killed", () =>
      Effect.gen(function* () {
        const folder = yield* newFolder
        const first = yield* startHolder(folder, asContainer)
        const second = yield* startHolder(folder, asContainer)
        expect([first.firstLine, second.firstLine]).toEqual(["locked", expect.stringContaining("by process 1.")])
        yield* first.end("kill")
        expect((yield* startHolder(folder, asContainer)).firstLine).toBe("locked")
      })
    )
  }

  it.scoped("may have a longer path than a socket", () =>
    Effect.gen(function* () {
      const folder = join(yield* newFolder, "long".repeat(40))
      const first = yield* startHolder(folder)
      expect([first.firstLine, (yield* startHolder(folder)).firstLine]).toEqual([
        "locked",
        expect.stringContaining(`in use by process ${first.pid}`)
      ])
      yield* first.end("kill")
      expect((yield* startHolder(folder)).firstLine).toBe("locked")
      expect(yield* claims(folder)).toHaveLength(1)
    })
  )

  it.scoped("is reported as DATA_DIR when it cannot be created", () =>
    Effect.gen(function* () {
      const file = join(yield* newFolder, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      const refused = yield* Effect.flip(lockFolder(join(file, "data")))
      expect(inOneLine(Cause.fail(refused))).toMatch(/^Settings: DATA_DIR: Cannot write to the folder .*: ENOTDIR/)
    })
  )
})
