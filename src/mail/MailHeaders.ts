import type { GraphMessage } from "./GraphShapes.ts"

type Headers = GraphMessage["internetMessageHeaders"]

/** The value of the first header with that name, in any case. */
export const headerOf = (headers: Headers, name: string): string | null =>
  headers.find((header) => header.name?.toLowerCase() === name.toLowerCase())?.value ?? null

/** The Message-IDs in a header, in order. */
export const messageIDsIn = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").match(/<[^<>\s]+>/g) ?? []
