import { Effect } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"

const deepest = 64

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\[]{}')

/** Whether objects and arrays are nested too deeply for code that recurses into them. */
const isTooDeep = (text: string) => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) inString = !inString
    else if (inString) at += code === backslash ? 1 : 0
    else if (code === openBracket || code === openBrace) depth++
    else if (code === closeBracket || code === closeBrace) depth--
    if (depth > deepest) return true
  }
  return false
}

/** Matches `__proto__` in any spelling that JSON allows. */
const prototypeName =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i

/**
 * Copying `__proto__` would change a prototype. No schema knows the name that replaces it, so it is ignored like every
 * unknown name; where callers may choose the names, it is refused for its NUL character.
 */
const standIn = "__proto__\u0000"

function withoutPrototypes(this: object, name: string, value: unknown) {
  if (name !== "__proto__") return value
  Object.assign(this, { [standIn]: null })
  return undefined
}

export const parseJson = (text: string): Effect.Effect<unknown, BadRequest> => {
  if (text.trim() === "") return BadRequest.of("Send a JSON body.")
  if (isTooDeep(text)) {
    return BadRequest.of(`The body is nested too deeply: up to ${deepest} levels are accepted.`)
  }
  try {
    const value: unknown = prototypeName.test(text) ? JSON.parse(text, withoutPrototypes) : JSON.parse(text)
    return Effect.succeed(value)
  } catch (error) {
    return BadRequest.of(`The body is not valid JSON: ${error instanceof Error ? error.message : "unreadable"}.`)
  }
}
