/** What stands behind a placeholder; undefined when nobody knows it. */
export type Values = (name: string) => string | undefined

type Piece = { readonly literal: string } | { readonly value: string }

// No part of it can match in two ways, so that a hostile text takes linear time.
const placeholder = /\{\{([^{}]{1,300})\}\}/g

/** The names that a text asks for. */
export const placeholdersIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(placeholder), ([, name = ""]) => name.trim()))

/** A template cut at its placeholders: one pass, so that a value is never scanned; unknown ones are literal. */
const cut = (template: string, values: Values): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let end = 0
  for (const { 0: written, 1: name = "", index } of template.matchAll(placeholder)) {
    const value = values(name.trim())
    if (value === undefined) continue
    pieces.push({ literal: template.slice(end, index) }, { value: value.toWellFormed() })
    end = index + written.length
  }
  return [...pieces, { literal: template.slice(end) }]
}

const fill = (template: string, values: Values, escape: (value: string) => string) =>
  cut(template, values)
    .map((piece) => ("value" in piece ? escape(piece.value) : piece.literal))
    .join("")

export const fillText = (template: string, values: Values) => fill(template, values, (value) => value)

/** For URLs and forms: a value can end neither its path segment nor its parameter. */
export const fillUrl = (template: string, values: Values) => fill(template, values, encodeURIComponent)

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

export const fillXml = (template: string, values: Values) =>
  fill(template, values, (value) => value.replace(/[&<>"']/g, (character) => `&${entities[character]};`))

const endsInString = (literal: string, startsInString: boolean) => {
  let inString = startsInString
  for (const [token] of literal.matchAll(/\\.|"/gs)) if (token === '"') inString = !inString
  return inString
}

const isJsonScalar = (value: string) => /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(value)

/** For JSON: escaped inside a string; elsewhere numbers, booleans and null stand as they are, the rest as a string. */
export const fillJson = (template: string, values: Values) => {
  let inString = false
  let filled = ""
  for (const piece of cut(template, values)) {
    if ("literal" in piece) {
      inString = endsInString(piece.literal, inString)
      filled += piece.literal
    } else if (inString) filled += JSON.stringify(piece.value).slice(1, -1)
    else filled += isJsonScalar(piece.value) ? piece.value : JSON.stringify(piece.value)
  }
  return filled
}
