import { Either, ParseResult, Schema } from "effect"
import { eachStorable } from "../platform/database/Storable.ts"

/** Turns what a model wrote into a value, or says what is wrong with it. */
export type ReadAnswer<A> = (text: string) => Either.Either<A, string>

/** Returns the content of the code fence that a model may put around its whole answer. */
export const withoutFence = (answer: string, language: "html" | "json") => {
  const text = answer.trim()
  const [first = ""] = text.split("\n", 1)
  const isFenced = /^```[a-z]*$/i.test(first.trim()) && text.length > first.length + 3 && text.endsWith("```")
  const named = first.trim().slice(3).toLowerCase()
  return isFenced && (named === "" || named === language) ? text.slice(first.length, -3).trim() : answer
}

/**
 * Returns the content of the fences that contain `sought`; the whole answer if none do, or if the text around them does
 * too.
 */
export const fencedPart = (answer: string, sought: RegExp) => {
  const fences: Array<string> = []
  const words: Array<string> = []
  let inside: Array<string> | undefined
  for (const line of answer.split("\n")) {
    const text = line.trim()
    if (inside === undefined) {
      if (/^```[a-z]*$/i.test(text)) inside = []
      else words.push(line)
    } else if (text.endsWith("```")) {
      fences.push([...inside, text.slice(0, -3)].join("\n"))
      inside = undefined
    } else inside.push(line)
  }
  const found = fences.filter((fence) => sought.test(fence))
  const isElsewhere = inside !== undefined || sought.test(words.join("\n"))
  return found.length === 0 || isElsewhere ? answer : found.join("\n")
}

/**
 * Parses the JSON in a text: the text itself, without a code fence around it, or the outermost object amid other words.
 */
const jsonIn = (text: string): Either.Either<unknown, string> => {
  const inner = withoutFence(text, "json")
  const [from, to] = [inner.indexOf("{"), inner.lastIndexOf("}")]
  for (const candidate of [inner, from >= 0 && to > from ? inner.slice(from, to + 1) : undefined]) {
    if (candidate === undefined) continue
    try {
      return Either.right(JSON.parse(candidate, eachStorable))
    } catch {}
  }
  return Either.left("The answer is not valid JSON.")
}

export const plainText: ReadAnswer<string> = (text) => {
  const trimmed = text.trim()
  return trimmed === "" ? Either.left("The answer is empty.") : Either.right(trimmed)
}

export const shapedBy = <A, I>(schema: Schema.Schema<A, I>): ReadAnswer<A> => {
  const decode = Schema.decodeUnknownEither(schema)
  return (text) =>
    Either.flatMap(jsonIn(text), (json) =>
      Either.mapLeft(decode(json), (error) => {
        const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
        return `The answer has the wrong shape: ${issue?.path.map(String).join(".") ?? ""} ${issue?.message ?? ""}`.slice(
          0,
          500
        )
      })
    )
}
