import { Either, ParseResult, Schema } from "effect"

/** Turns what a model wrote into a value, or says what is wrong with it. */
export type ReadAnswer<A> = (text: string) => Either.Either<A, string>

const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i

/** The JSON in a text: as it is, without a code fence around it, or the outermost object in the middle of words. */
const jsonIn = (text: string): Either.Either<unknown, string> => {
  const inner = fenced.exec(text)?.[1] ?? text
  const [from, to] = [inner.indexOf("{"), inner.lastIndexOf("}")]
  for (const candidate of [inner, from >= 0 && to > from ? inner.slice(from, to + 1) : undefined]) {
    if (candidate === undefined) continue
    try {
      return Either.right(JSON.parse(candidate))
    } catch {}
  }
  return Either.left("The answer is no JSON.")
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
