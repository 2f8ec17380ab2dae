import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { describe, expect, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../../src")

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

/** The feature folder of a file; undefined for the files that put the features together. */
const folderOf = (file: string) => (file.includes(sep) ? file.split(sep)[0] : undefined)

const importsOf = (file: string) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, path = ""]) =>
    relative(root, join(root, dirname(file), path))
  )

/** Which folder imports which, and the first file that does so. */
const imports = new Map<string, Map<string, string>>()
for (const file of files) {
  const folder = folderOf(file)
  if (folder === undefined) continue
  const known = imports.get(folder) ?? new Map<string, string>()
  imports.set(folder, known)
  for (const imported of importsOf(file)) {
    const other = imported.startsWith("..") ? undefined : folderOf(imported)
    if (other !== undefined && other !== folder && !known.has(other)) known.set(other, `${file} -> ${imported}`)
  }
}

/** The imports that lead from a folder back to itself; undefined when there is no such cycle. */
const circleFrom = (start: string) => {
  const seen = new Set<string>()
  const go = (folder: string): ReadonlyArray<string> | undefined => {
    for (const [next, how] of imports.get(folder) ?? []) {
      if (next === start) return [how]
      if (seen.has(next)) continue
      seen.add(next)
      const rest = go(next)
      if (rest !== undefined) return [how, ...rest]
    }
    return undefined
  }
  return go(start)
}

describe("The folders of features", () => {
  it("import each other in one direction only", () => {
    expect(imports.size).toBeGreaterThan(20)
    expect([...imports.keys()].flatMap((folder) => circleFrom(folder) ?? [])).toEqual([])
  })

  it("are not imported by the platform", () => {
    expect([...(imports.get("platform") ?? []).values()]).toEqual([])
  })

  it("import the platform's HTTP only in the files that handle requests", () => {
    const answering = /^platform\/|Http\.ts$|^(?:files\/FileAnswer|hub\/HubRoutes|pages\/Asset)\.ts$/
    const others = files.filter((file) => folderOf(file) !== undefined && !answering.test(file.replaceAll(sep, "/")))
    const found = others.flatMap((file) =>
      importsOf(file).flatMap((path) => (dirname(path) === join("platform", "http") ? [`${file} -> ${path}`] : []))
    )
    expect(found).toEqual([])
  })
})
