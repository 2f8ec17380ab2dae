import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Schedule } from "effect"

export class FolderInUse extends Data.TaggedError("FolderInUse")<{ readonly message: string }> {}

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT"

const read = (file: string) =>
  readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** State and start time of a process where the system tells (Linux); the name in field 2 may hold spaces. */
const processFacts = async (pid: number) => {
  const fields = (await read(`/proc/${pid}/stat`))?.replace(/^.*\) /s, "").split(" ")
  return fields === undefined ? undefined : { zombie: fields[0] === "Z", started: fields[19] }
}

const describeSelf = async () => `${process.pid} ${(await processFacts(process.pid))?.started ?? ""}`.trim()

const isAlive = async (holder: string) => {
  const [pidText, started] = holder.split(" ")
  const pid = Number(pidText)
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false
  }
  const facts = await processFacts(pid)
  // After kill -9 a process can stay visible as a zombie, and its number can be given to another one.
  return facts === undefined || (!facts.zombie && (started === undefined || started === facts.started))
}

const tryLock = async (file: string, self: string): Promise<string | undefined> => {
  try {
    await writeFile(file, self, { flag: "wx", mode: 0o600 })
    return undefined
  } catch {
    const holder = await read(file)
    if (holder === undefined) return "another process, which is just starting or stopping"
    if (await isAlive(holder)) return `process ${holder.split(" ")[0]}`
    // Renaming is atomic: of several processes that find the same stale lock, one takes it away.
    const aside = `${file}.${process.pid}`
    await rename(file, aside).catch(() => undefined)
    if ((await read(aside)) !== holder) await rename(aside, file).catch(() => undefined)
    else await rm(aside, { force: true })
    return "a process that died"
  }
}

/** Holds a folder for this process alone until the scope closes. A live holder is never robbed. */
export const lockFolder = (folder: string) =>
  Effect.gen(function* () {
    const file = join(folder, "casework.lock")
    const self = yield* Effect.promise(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return describeSelf()
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => tryLock(file, self)).pipe(
        Effect.filterOrFail(
          (holder) => holder === undefined,
          (holder) =>
            new FolderInUse({
              message: `The data folder ${folder} is in use by ${holder}. Stop it, or set DATA_DIR to another folder, or set DATABASE_URL to share a PostgreSQL.`
            })
        ),
        Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.intersect(Schedule.recurs(15))))
      ),
      () =>
        Effect.promise(async () => {
          if ((await read(file)) === self) await rm(file, { force: true })
        })
    )
  })
