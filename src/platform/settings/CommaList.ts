import { Either } from "effect"

/** Parses comma-separated entries, which may be padded or empty; Left is the entry that cannot be parsed. */
export const parseCommaList = <A>(
  list: string,
  parse: (entry: string) => A | undefined
): Either.Either<ReadonlyArray<A>, string> =>
  Either.all(
    list
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
      .map((entry) => Either.fromNullable(parse(entry), () => entry))
  )
