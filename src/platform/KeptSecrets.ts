import { randomBytes } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"

/** A secret that is made once and kept in the data folder, readable by its owner only. */
export const keptSecret = (dataDir: string, name: string) =>
  Effect.promise(async () => {
    const file = join(dataDir, `${name.toLowerCase()}.txt`)
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // "wx" leaves a file that is already there as it is, so a second process reads what the first one wrote.
    await writeFile(file, randomBytes(48).toString("base64url"), { flag: "wx", mode: 0o600 }).catch(() => undefined)
    return (await readFile(file, "utf8")).trim()
  })
