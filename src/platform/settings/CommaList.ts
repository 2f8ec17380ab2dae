import { Either } from "effect"

/** Reads what stands between commas, and may be padded or empty; Left is the entry that cannot be read. */
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
