import type { PartInfo } from "multipasta"

const parameters = /;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))\s*/gy

const parametersOf = (disposition: string) => {
  const start = disposition.indexOf(";")
  if (start < 0) return new Map<string, string>()
  const entries = Array.from(
    disposition.slice(start).matchAll(parameters),
    ([, name = "", quoted, plain = ""]) => [name.toLowerCase(), quoted ?? plain] as const
  )
  return new Map(entries)
}

/** Decodes an extended name, with or without a language tag. */
const decoded = (extended: string | undefined) => {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(extended ?? "") ?? []
  return text === undefined ? undefined : decodeURIComponent(text)
}

/** A quotation mark would end the name: browsers write %22 for it, other clients put a backslash before it. */
const unquoted = (name: string) => name.replace(/\\"|%22/g, '"')

/**
 * The parser accepts only Latin-1 in a part's disposition, and drops all of it if a name has any other character, as in
 * `10€.txt`: it is then parsed again, from the raw header.
 */
const readAgain = (info: PartInfo): PartInfo => {
  const disposition = info.headers["content-disposition"]
  if (info.contentDisposition !== "" || typeof disposition !== "string") return info
  if (!/^\s*form-data\s*;/i.test(disposition)) return info
  const found = parametersOf(disposition)
  return {
    ...info,
    name: found.get("name") ?? "",
    contentDisposition: "form-data",
    contentDispositionParameters: Object.fromEntries(found)
  }
}

/** Decodes a part's file name, and gives a file without a content type the default one. */
export const named = (given: PartInfo): PartInfo => {
  const info = readAgain(given)
  const { filename, "filename*": extended } = info.contentDispositionParameters
  const name = decoded(extended) ?? (filename === undefined ? undefined : unquoted(filename))
  if (name === undefined) return info
  const contentType = info.headers["content-type"] === undefined ? "application/octet-stream" : info.contentType
  return { ...info, filename: name, contentType }
}
