import { Either } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { clip } from "../ai/Clip.ts"

/** What stands behind a placeholder; undefined when nobody knows it. */
export type Values = (name: string) => string | undefined

type Piece = { readonly literal: string } | { readonly value: string }

// No part of it can match in two ways, so that a hostile text takes linear time.
const placeholder = /\{\{([^{}]{1,300})\}\}/g

/** The names that a text asks for. */
export const placeholdersIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(placeholder), ([, name = ""]) => name.trim()))

/** A template cut at its placeholders: one pass, so that a value is never scanned; unknown ones are literal. */
function* cut(template: string, values: Values): Generator<Piece> {
  let end = 0
  for (const { 0: written, 1: name = "", index } of template.matchAll(placeholder)) {
    const value = values(name.trim())
    if (value === undefined) continue
    yield { literal: template.slice(end, index) }
    yield { value: value.toWellFormed() }
    end = index + written.length
  }
  yield { literal: template.slice(end) }
}

function* escaped(template: string, values: Values, escape: (value: string) => string) {
  for (const piece of cut(template, values)) yield "value" in piece ? escape(piece.value) : piece.literal
}

/** More is nobody's text: a long value in a template that asks for it thousands of times would fill the memory. */
export const longestFilled = 4 * 1024 * 1024

const joined = (texts: Iterable<string>) => {
  const kept: Array<string> = []
  let room = longestFilled
  for (const text of texts) {
    kept.push(text.slice(0, room))
    if (text.length > room) return { text: kept.join("").toWellFormed(), isWhole: false }
    room -= text.length
  }
  return { text: kept.join(""), isWhole: true }
}

const whole = (texts: Iterable<string>): Either.Either<string, BadRequest> => {
  const { isWhole, text } = joined(texts)
  return isWhole
    ? Either.right(text)
    : Either.left(
        new BadRequest({
          message: `With its values filled in, the text is longer than ${longestFilled} characters: use fewer placeholders or shorter values.`
        })
      )
}

const longestInPrompt = 100_000

/** For prompts, which take the beginning of what is long: values are shortened, and so is the whole. */
export const fillText = (template: string, values: Values) =>
  joined(escaped(template, values, (value) => clip(value, longestInPrompt))).text

/** For texts that are worth something only as a whole. */
export const fillWhole = (template: string, values: Values) => whole(escaped(template, values, (value) => value))

/** For URLs and forms: a value can end neither its path segment nor its parameter. */
export const fillUrl = (template: string, values: Values) => whole(escaped(template, values, encodeURIComponent))

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

export const fillXml = (template: string, values: Values) =>
  whole(escaped(template, values, (value) => value.replace(/[&<>"']/g, (character) => `&${entities[character]};`)))

const endsInString = (literal: string, startsInString: boolean) => {
  let inString = startsInString
  for (const [token] of literal.matchAll(/\\.|"/gs)) if (token === '"') inString = !inString
  return inString
}

const isJsonScalar = (value: string) => /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(value)

function* asJson(template: string, values: Values) {
  let inString = false
  for (const piece of cut(template, values)) {
    if ("literal" in piece) {
      inString = endsInString(piece.literal, inString)
      yield piece.literal
    } else if (inString) yield JSON.stringify(piece.value).slice(1, -1)
    else yield isJsonScalar(piece.value) ? piece.value : JSON.stringify(piece.value)
  }
}

/** For JSON: escaped inside a string; elsewhere numbers, booleans and null stand as they are, the rest as a string. */
export const fillJson = (template: string, values: Values) => whole(asJson(template, values))
