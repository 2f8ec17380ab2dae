import { randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Schedule } from "effect"

export class FolderInUse extends Data.TaggedError("FolderInUse")<{ readonly message: string }> {}

/** State and start time of a process where the system tells (Linux); the name in field 2 may hold spaces. */
const processFacts = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  const fields = stat?.replace(/^.*\) /s, "").split(" ")
  return fields === undefined ? undefined : { zombie: fields[0] === "Z", started: fields[19] ?? "" }
}

const claimName = /^casework\.lock\.(\d+)\.(\d*)\.[0-9a-f-]+$/

// What this very process holds: an older claim with the same process number is a dead one's.
const held = new Set<string>()

const isAlive = async (pid: number, started: string, name: string) => {
  if (pid === process.pid) return held.has(name)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false
  }
  const facts = await processFacts(pid)
  // After kill -9 a process can stay visible as a zombie, and its number can be given to another one.
  return facts === undefined || (!facts.zombie && (started === "" || started === facts.started))
}

/** The process behind a live claim other than the given one; dead claims are cleared away. */
const findHolder = async (folder: string, own?: string) => {
  for (const name of await readdir(folder)) {
    const [, pid, started = ""] = claimName.exec(name) ?? []
    if (pid === undefined || name === own) continue
    if (await isAlive(Number(pid), started, name)) return pid
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

/**
 * Puts a claim into the folder, then looks for others. Of two processes that do so at once, the later one sees the
 * earlier one's claim, so both may step back but never both go on. A claim's name says whose it is: nothing has to be
 * read that may be half written, and clearing a dead one away can never hit a live one.
 */
const tryClaim = async (folder: string) => {
  const before = await findHolder(folder)
  if (before !== undefined) return { holder: before }
  const facts = await processFacts(process.pid)
  const name = `casework.lock.${process.pid}.${facts?.started ?? ""}.${randomUUID()}`
  held.add(name)
  await writeFile(join(folder, name), "", { flag: "wx", mode: 0o600 })
  const holder = await findHolder(folder, name)
  if (holder === undefined) return { claim: name }
  await release(folder, name)
  return { holder }
}

const release = async (folder: string, name: string) => {
  await rm(join(folder, name), { force: true })
  held.delete(name)
}

const inUse = (folder: string, holder: string) =>
  new FolderInUse({
    message: `The data folder ${folder} is in use by process ${holder}. Stop it, or set DATA_DIR to another folder, or set DATABASE_URL to share a PostgreSQL.`
  })

// Long enough for a process that is just stopping; the jitter parts those that start at once.
const patience = Schedule.spaced("200 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(15)))

/** Holds a folder for this process alone until the scope closes. A live holder is never robbed. */
export const lockFolder = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(() => mkdir(folder, { recursive: true, mode: 0o700 })).pipe(
      Effect.zipRight(Effect.promise(() => tryClaim(folder))),
      Effect.flatMap(({ claim, holder }) =>
        claim === undefined ? Effect.fail(inUse(folder, holder)) : Effect.succeed(claim)
      ),
      Effect.retry(patience)
    ),
    (claim) => Effect.promise(() => release(folder, claim))
  ).pipe(Effect.asVoid)
