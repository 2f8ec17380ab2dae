import type { Either } from "effect"
import { parseCommaList } from "./CommaList.ts"

/** A browser sends an origin without the usual port and without a slash; anything more would never be equal to it. */
const parseOrigin = (entry: string) => {
  // Frames without an origin of their own say null.
  if (entry === "*" || entry === "null") return entry
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*]+\/*$/i.test(entry) || !URL.canParse(entry)) return undefined
  const { host, protocol } = new URL(entry)
  return `${protocol}//${host}`
}

/** Reads a comma-separated list of origins, or * for every one; Left is the entry that is none. */
export const parseCorsOrigins = (list: string): Either.Either<ReadonlyArray<string>, string> =>
  parseCommaList(list, parseOrigin)
