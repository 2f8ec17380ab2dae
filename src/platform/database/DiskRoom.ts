import { existsSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { SqlClient } from "@effect/sql"
import { ConfigError, Context, Effect, Ref } from "effect"
import { onEveryNode } from "../queue/Periodically.ts"

const megabyte = 1024 * 1024

/**
 * The embedded database writes its log in files of 16 MB. One that does not fit blocks it in the middle of a statement,
 * and with it the whole process, which then neither responds nor can be told to stop.
 */
const least = 64 * megabyte

/** Writes resume from here on: a lower mark would be crossed with every file that comes and goes. */
const enoughAgain = 96 * megabyte

const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))

/** The number of bytes that are free on a folder's disk. */
export class FreeBytes extends Context.Reference<FreeBytes>()("casework/FreeBytes", {
  defaultValue: () => ({
    of: (folder: string) =>
      Effect.promise(async () => {
        const { bavail, blocks, bsize } = await statfs(nearest(resolve(folder)))
        // Some network disks do not report their size.
        return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
      })
  })
}) {}

/** Fails unless the disk has enough free space. */
export const checkRoom = (folder: string) =>
  Effect.gen(function* () {
    const free = yield* (yield* FreeBytes).of(folder)
    if (free >= least) return
    const rest = `only ${Math.floor(free / megabyte)} MB free, but the embedded database needs at least ${least / megabyte} MB`
    return yield* Effect.fail(ConfigError.InvalidData(["DATA_DIR"], `The disk of the folder ${folder} has ${rest}`))
  })

/** Makes the database read-only while the disk is nearly full, and logs it: existing data stays readable. */
export const watchRoom = (folder: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const free = yield* FreeBytes
    const isFull = yield* Ref.make(false)
    const look = Effect.gen(function* () {
      const before = yield* Ref.get(isFull)
      const now = (yield* free.of(folder)) < (before ? enoughAgain : least)
      if (now === before) return
      yield* sql`set default_transaction_read_only = ${sql.literal(now ? "on" : "off")}`
      yield* Ref.set(isFull, now)
      yield* now
        ? Effect.logError("the disk of DATA_DIR is nearly full: changes are refused until there is room")
        : Effect.logInfo("the disk of DATA_DIR has room again")
    })
    yield* onEveryNode("looking at the disk", "2 seconds", look)
  })
