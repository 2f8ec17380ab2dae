import type { Either } from "effect"
import { parseCommaList } from "./CommaList.ts"

/** Browsers send an origin without the default port and without a slash; with anything more it would never match. */
const parseOrigin = (entry: string) => {
  // Frames without an origin of their own send null.
  if (entry === "*" || entry === "null") return entry
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*]+\/*$/i.test(entry) || !URL.canParse(entry)) return undefined
  const { host, protocol } = new URL(entry)
  return `${protocol}//${host}`
}

/** Reads a comma-separated list of origins, or * for all of them; Left is the entry that is not one. */
export const parseCorsOrigins = (list: string): Either.Either<ReadonlyArray<string>, string> =>
  parseCommaList(list, parseOrigin)
