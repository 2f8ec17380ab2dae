import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { dataDir } from "@electric-sql/pglite-prepopulatedfs"

/**
 * The archive of an empty cluster, unzipped in one go: the database would do it in small pieces, which takes three
 * times as long.
 */
export const emptyCluster = async () => promisify(gunzip)(await (await dataDir()).arrayBuffer())

const block = 512
const file = "0"
const folder = "5"

/** An entry's header and its content each fill whole blocks. */
function* entriesOf(archive: Buffer) {
  for (let at = 0; archive[at]; ) {
    const field = (begin: number, length: number) => {
      const bytes = archive.subarray(at + begin, at + begin + length)
      return bytes.subarray(0, [...bytes, 0].indexOf(0)).toString()
    }
    const kind = field(156, 1)
    if (kind !== file && kind !== folder) throw new Error(`An entry of the empty cluster is of kind ${kind}`)
    const size = Number.parseInt(field(124, 12), 8)
    yield { path: join(field(345, 155), field(0, 100)), isFolder: kind === folder, begin: at + block, size }
    at += block + Math.ceil(size / block) * block
  }
}

/** Writes the cluster file by file: the database, with its own layer above the disk, takes three times as long. */
export const unpackCluster = async (into: string) => {
  const archive = await emptyCluster()
  for (const { begin, isFolder, path, size } of entriesOf(archive)) {
    const place = join(into, path)
    mkdirSync(isFolder ? place : dirname(place), { recursive: true, mode: 0o700 })
    if (!isFolder) writeFileSync(place, archive.subarray(begin, begin + size), { mode: 0o600 })
  }
}
