import { Either } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { clip } from "../ai/Clip.ts"

/** The value of a placeholder; undefined when the name is unknown. */
export type Values = (name: string) => string | undefined

type Piece = { readonly literal: string } | { readonly value: string }

// No part of the pattern can match in two ways, so a hostile text takes linear time.
const placeholder = /\{\{([^{}]{1,300})\}\}/g

/** The placeholder names that occur in a text. */
export const placeholdersIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(placeholder), ([, name = ""]) => name.trim()))

/** Cuts a template at its placeholders in one pass, so that values are never scanned; unknown names stay literal. */
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

/** No real text is longer: a long value in a template that repeats it thousands of times would fill the memory. */
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

/** For prompts, which only take the beginning of long texts: the values are shortened, and so is the whole. */
export const fillText = (template: string, values: Values) =>
  joined(escaped(template, values, (value) => clip(value, longestInPrompt))).text

/** For texts that are only useful as a whole. */
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

/**
 * For JSON: escaped inside a string; elsewhere numbers, booleans and null stay as they are, the rest becomes a string.
 */
export const fillJson = (template: string, values: Values) => whole(asJson(template, values))
