import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Schedule } from "effect"
import { inDataFolder } from "./DataFolder.ts"
import { claimant, type FolderClaim, isHeld, putClaim } from "./FolderClaim.ts"

export class FolderInUse extends Data.TaggedError("FolderInUse")<{ readonly message: string }> {}

/** Returns the process of a live claim other than the given one; removes dead claims. */
const findHolder = async (folder: string, own?: FolderClaim) => {
  for (const name of await readdir(folder)) {
    const pid = claimant(name)
    if (pid === undefined || name === own?.name) continue
    if (await isHeld(folder, name)) return pid
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

/**
 * Puts a claim into the folder, then looks for others. Of two processes that do so at once, the later one sees the
 * earlier one's claim, so both may step back but never both go on. Every claim has a name of its own, so clearing a
 * dead one away can never hit a live one.
 */
const tryClaim = async (folder: string) => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const before = await findHolder(folder)
  if (before !== undefined) return { holder: before }
  const claim = await putClaim(folder)
  const holder = await findHolder(folder, claim)
  if (holder === undefined) return { claim }
  await claim.release()
  return { holder }
}

const inUse = (folder: string, holder: string) =>
  new FolderInUse({
    message: `The data folder ${folder} is in use by process ${holder}. Stop it, or set DATA_DIR to another folder, or set DATABASE_URL to share a PostgreSQL database.`
  })

// Long enough for a process that is just stopping; the jitter separates those that start at once.
const patience = Schedule.spaced("200 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(15)))

/** Locks a folder for this process until the scope closes, and never takes it from a live holder. */
export const lockFolder = (folder: string) =>
  Effect.acquireRelease(
    inDataFolder(folder, () => tryClaim(folder)).pipe(
      Effect.flatMap(({ claim, holder }) =>
        claim === undefined ? Effect.fail(inUse(folder, holder)) : Effect.succeed(claim)
      ),
      Effect.retry({ schedule: patience, while: (error) => error._tag === "FolderInUse" })
    ),
    ({ release }) => Effect.promise(release)
  ).pipe(Effect.asVoid)
