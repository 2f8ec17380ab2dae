import { randomBytes, randomUUID } from "node:crypto"
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inDataFolder } from "./DataFolder.ts"

const read = (file: string) =>
  readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  })

/** A secret that is made once and kept in the data folder, readable by its owner only. */
export const keptSecret = (dataDir: string, name: string) =>
  inDataFolder(dataDir, async () => {
    const file = join(dataDir, `${name.toLowerCase()}.txt`)
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const known = await read(file)
    if (known !== undefined) {
      await chmod(file, 0o600)
      return known.trim()
    }
    // Linked into place once it is complete: if two processes start at once, both read what the first one wrote.
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, randomBytes(48).toString("base64url"), { flag: "wx", mode: 0o600 })
    await link(draft, file).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    })
    await rm(draft, { force: true })
    return (await readFile(file, "utf8")).trim()
  })
