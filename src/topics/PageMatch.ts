/** Splits a page's address where a prefix may end: origin, path segments, query parameters, fragment. */
const piecesOf = (address: string): ReadonlyArray<string> | undefined => {
  if (!URL.canParse(address)) return undefined
  const { hash, origin, pathname, search } = new URL(address)
  const split = (text: string, separator: string) => text.split(separator).filter((piece) => piece !== "")
  return [
    origin,
    ...split(pathname, "/").map((segment) => `/${segment}`),
    ...split(search.slice(1), "&").map((parameter) => `?${parameter}`),
    ...split(hash.slice(1), "/").map((segment) => `#${segment}`)
  ]
}

/**
 * The mappings whose page is the longest prefix of the given one, in whole pieces: /help matches /help/keys, but not
 * /helpdesk. A text that is not an address matches nothing.
 */
export const mappingsOfPage = <Mapping extends { readonly pageUrl: string }>(
  mappings: ReadonlyArray<Mapping>,
  page: string
): ReadonlyArray<Mapping> => {
  const wanted = piecesOf(page)
  if (wanted === undefined) return []
  const matching = mappings.flatMap((mapping) => {
    const pieces = piecesOf(mapping.pageUrl)
    return pieces?.every((piece, index) => piece === wanted[index]) ? [{ mapping, length: pieces.length }] : []
  })
  const longest = Math.max(...matching.map(({ length }) => length))
  return matching.filter(({ length }) => length === longest).map(({ mapping }) => mapping)
}
