import type { SqlClient, Statement } from "@effect/sql"

/**
 * Lower case is made here and not by the database, whose locale may know no letters beyond ASCII. A Σ at the end of a word
 * becomes another letter than within one, and a part of a word ends elsewhere than the whole.
 */
export const folded = (text: string) => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

/** The words of a text, each once: looking for one again costs as much as before. */
const words = (text: string) => [...new Set(text.split(/\s+/).filter((word) => word !== ""))]

const asPattern = (word: string) => `%${word.replace(/[\\%_]/g, "\\$&")}%`

/** The words of a search as patterns for folded text: each must stand somewhere in it, as a part of a word or a whole one. */
export const searchPatterns = (search: string | undefined): ReadonlyArray<string> =>
  words(folded(search ?? "")).map(asPattern)

/** Three letters in a row, which a trigram index is ordered by. */
const isIndexed = (pattern: string) => /[\p{L}\p{N}]{3}/u.test(pattern)

/** One spelling that an index cannot look up would make it useless for the others. */
const searchable = (spellings: ReadonlyArray<string>) => {
  const indexed = spellings.filter(isIndexed)
  return indexed.length === 0 ? spellings : indexed
}

/**
 * As it was typed, with the small sigma everywhere, and with the final one at its end: the database takes the two for
 * different letters, and lower case of Σ is one or the other depending on its locale.
 */
const withSigmas = (word: string) => {
  const plain = word.replaceAll(/[Σς]/g, "σ")
  return [word, plain, plain.replace(/σ(?!\p{L})/gu, "ς")]
}

/** The words of a search as patterns for text as people wrote it: each word in every spelling that looks the same. */
export const spelledPatterns = (search: string | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  words((search ?? "").normalize("NFC")).map((word) =>
    searchable([...new Set(withSigmas(word).flatMap((spelled) => [spelled, spelled.normalize("NFD")]))].map(asPattern))
  )

/**
 * The condition that a column holds all words, each in one of its spellings. A trigram index answers it, without the
 * planner's looking at each word anew. The index must not be asked for a word of less than three letters: it would be
 * read from end to end, whoever's texts are in it.
 */
export const holdsAll = (
  sql: SqlClient.SqlClient,
  column: string,
  patterns: ReadonlyArray<ReadonlyArray<string>>
): Statement.Fragment => {
  const name = sql.literal(column)
  const holds = (pattern: string) =>
    isIndexed(pattern) ? sql`${name} ilike (select ${pattern}::text)` : sql`(${name} || '') ilike ${pattern}`
  return sql.and(patterns.map((spellings) => sql.or(spellings.map(holds))))
}
