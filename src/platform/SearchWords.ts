import type { SqlClient, Statement } from "@effect/sql"

/** Lower case is made here and not by the database, whose locale may know no letters beyond ASCII. */
export const folded = (text: string) => text.normalize("NFC").toLowerCase()

/** The words of a search as patterns: each must stand somewhere in the text, as a part of a word or a whole one. */
export const searchPatterns = (search: string | undefined): ReadonlyArray<string> =>
  folded(search ?? "")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`)

/** Three letters in a row, which a trigram index is ordered by. */
const isIndexed = (pattern: string) => /[\p{L}\p{N}]{3}/u.test(pattern)

/**
 * That a column holds all of them. A trigram index answers it, without the planner's looking at each word anew; it must
 * not be asked for a shorter word, for which it would be read from end to end, whoever's texts are in it.
 */
export const holdsAll = (
  sql: SqlClient.SqlClient,
  column: string,
  patterns: ReadonlyArray<string>
): Statement.Fragment => {
  const name = sql.literal(column)
  return sql.and(
    patterns.map((pattern) =>
      isIndexed(pattern) ? sql`${name} ilike (select ${pattern}::text)` : sql`(${name} || '') ilike ${pattern}`
    )
  )
}
