import { deserialize, serialize } from "node:v8"
import { MemoryFS, PGlite } from "@electric-sql/pglite"
import { Schema } from "effect"

const { PGDATA } = PGlite.paths

/** The files of a database: unpacking an archive for each clone took as long as the rest of the cloning. */
const Template = Schema.Struct({
  folders: Schema.Array(Schema.String),
  files: Schema.Array(Schema.Tuple(Schema.String, Schema.Uint8ArrayFromSelf))
})

export type Template = typeof Template.Type

/** Serializes everything in a database's folder. */
export const packed = ({ Module: { FS } }: PGlite) => {
  const folders: Array<string> = []
  const files: Array<readonly [string, Uint8Array]> = []
  const look = (folder: string) => {
    folders.push(folder)
    for (const name of FS.readdir(folder)) {
      const path = `${folder}/${name}`
      if (name === "." || name === "..") continue
      if (FS.isDir(FS.stat(path).mode)) look(path)
      else files.push([path, FS.readFile(path)])
    }
  }
  look(PGDATA)
  return serialize({ folders, files } satisfies Template)
}

export const unpacked = (bytes: Buffer): Template => Schema.decodeUnknownSync(Template)(deserialize(bytes))

/** An in-memory disk that starts with a copy of the template. */
export class CopyOf extends MemoryFS {
  readonly #template: Template

  constructor(template: Template) {
    super()
    this.#template = template
  }

  override async init(...[pglite, options]: Parameters<MemoryFS["init"]>) {
    const { emscriptenOpts } = await super.init(pglite, options)
    const copy: typeof emscriptenOpts.preRun = [
      ({ FS }) => {
        for (const folder of this.#template.folders) FS.mkdirTree(folder)
        for (const [path, bytes] of this.#template.files) FS.writeFile(path, bytes)
      }
    ]
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), ...copy] } }
  }
}
