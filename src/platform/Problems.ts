import { Array } from "effect"
import { BadRequest } from "../../schema/Errors.ts"

const simple: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["boolean", "true or false"]
])

/** Puts what a schema expects into plain words: schemas describe themselves in the terms of the compiler. */
const expected = (description: string) => {
  if (/^(?:ReadonlyArray<|Array<|readonly \[)/.test(description)) return "a list"
  if (/^\{|\(Encoded side\)|\| filter\b|^Struct\b/.test(description)) return "an object"
  return simple.get(description) ?? description
}

const longestQuote = 100

const quoted = (actual: string) =>
  actual.length > longestQuote ? `${actual.slice(0, longestQuote).toWellFormed()}…` : actual

const inPlainWords = (message: string) => {
  if (message === "is missing") return "is required"
  if (/^Unable to decode .* into a DateTime\.Utc$/s.test(message))
    return "must be a date and time, such as 2026-03-01T09:00:00Z"
  const [, description, actual = ""] = /^Expected (.*), actual (.*)$/s.exec(message) ?? []
  if (description === undefined) return message
  return description === "string" && /^\[".*"\]$/s.test(actual)
    ? "must be given once"
    : `must be ${expected(description)}, not ${quoted(actual)}`
}

const alternative = /^must be (.*), not (.*)$/s

/** A union reports each of its members: for the caller that is one problem with several solutions. */
const inOneProblem = (messages: ReadonlyArray<string>) => {
  const ways = messages.map((message) => alternative.exec(message))
  const actual = ways[0]?.[2]
  return messages.length > 1 && ways.every((way) => way !== null && way[2] === actual)
    ? `must be one of ${ways.map((way) => way?.[1]).join(", ")}, not ${actual}`
    : messages.join(" or ")
}

/** If something else is wrong, it does not help that the value might also be null. */
const isOnlyNull = (message: string) => message.startsWith("must be null,")

/** Describes what is wrong with a value, as its schema found it, in plain words. */
export const problemsIn = (
  found: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }>
) => {
  const byPath = Array.groupBy(found, ({ path }) => path.map(String).join("."))
  const details = Object.entries(byPath).map(([path, issues]) => {
    const messages = [...new Set(issues.map(({ message }) => inPlainWords(message)))]
    const wanted = messages.filter((message) => !isOnlyNull(message))
    return { path, message: inOneProblem(wanted.length === 0 ? messages : wanted).slice(0, 500) }
  })
  const isOutdone = (detail: { readonly path: string; readonly message: string }) =>
    isOnlyNull(detail.message) && details.some(({ path }) => path.startsWith(`${detail.path}.`))
  return BadRequest.listing(details.filter((detail) => !isOutdone(detail)))
}
