import type { SqlClient, Statement } from "@effect/sql"

/**
 * Lower-cases here and not in the database, whose locale may know only ASCII. JavaScript turns a Σ at the end of a word
 * into ς and any other into σ, but a search may end in the middle of a word: so both become σ.
 */
export const folded = (text: string) => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

/** The distinct words of a text: looking for one twice would cost as much again. */
const words = (text: string) => [...new Set(text.split(/\s+/).filter((word) => word !== ""))]

const asPattern = (word: string) => `%${word.replace(/[\\%_]/g, "\\$&")}%`

/**
 * Returns the words of a search as patterns for folded text: each must occur in it, as a whole word or a part of one.
 */
export const searchPatterns = (search: string | undefined): ReadonlyArray<string> =>
  words(folded(search ?? "")).map(asPattern)

/** Whether a pattern has three letters or digits in a row, which a trigram index is ordered by. */
const isIndexed = (pattern: string) => /[\p{L}\p{N}]{3}/u.test(pattern)

/** Drops the spellings that an index cannot look up, if there are others: one would make the index useless for all. */
const searchable = (spellings: ReadonlyArray<string>) => {
  const indexed = spellings.filter(isIndexed)
  return indexed.length === 0 ? spellings : indexed
}

/** The word as typed, with every sigma as σ, and with a final ς: the database takes them for different letters. */
const withSigmas = (word: string) => {
  const plain = word.replaceAll(/[Σς]/g, "σ")
  return [word, plain, plain.replace(/σ(?!\p{L})/gu, "ς")]
}

/** Returns the words of a search as patterns for unfolded text: each word in every spelling that looks the same. */
export const spelledPatterns = (search: string | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  words((search ?? "").normalize("NFC")).map((word) =>
    searchable([...new Set(withSigmas(word).flatMap((spelled) => [spelled, spelled.normalize("NFD")]))].map(asPattern))
  )

/**
 * Returns the condition that a column contains all words, each in one of its spellings. A trigram index serves it
 * without the planner looking at each word. It must not be used for words of fewer than three letters: all of it would
 * be read, across all customers' texts.
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
