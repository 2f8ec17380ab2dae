import type { GraphMessage } from "./GraphShapes.ts"

type Headers = GraphMessage["internetMessageHeaders"]

/** The value of the first header with that name, in any case. */
export const headerOf = (headers: Headers, name: string): string | null =>
  headers.find((header) => header.name?.toLowerCase() === name.toLowerCase())?.value ?? null

const messageIDsIn = (value: string | undefined): ReadonlyArray<string> => (value ?? "").match(/<[^<>\s]+>/g) ?? []

/** More than any program names; a stranger may write thousands, and each is looked for. */
const mostMessageIDs = 200

/** The Message-IDs in an In-Reply-To header, each once, in order; the first ones if there are many. */
export const answeredIn = (value: string | undefined): ReadonlyArray<string> =>
  [...new Set(messageIDsIn(value))].slice(0, mostMessageIDs)

/**
 * The Message-IDs in a References header, each once, where it comes last: later ones are newer. If there are many, only
 * the newest ones, and the very first: it began the thread, and may be the only one that is known.
 */
export const referencesIn = (value: string | undefined): ReadonlyArray<string> => {
  const all = messageIDsIn(value)
  const newest = [...new Set(all.toReversed())].slice(0, mostMessageIDs).reverse()
  return [...all.slice(0, 1).filter((first) => !newest.includes(first)), ...newest]
}
