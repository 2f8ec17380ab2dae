import type { GraphMessage } from "./GraphShapes.ts"

type Headers = GraphMessage["internetMessageHeaders"]

/** The value of a header, whatever the case of its name; the first one of several. */
export const headerOf = (headers: Headers, name: string): string | null =>
  headers.find((header) => header.name?.toLowerCase() === name.toLowerCase())?.value ?? null

/** The Message-IDs in a header, in their order. */
export const messageIDsIn = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").match(/<[^<>\s]+>/g) ?? []
