const wordsOf = (text: string) =>
  text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "")

// The work is quadratic: comparing this many words takes a few milliseconds.
const mostWords = 1_000

/** The number of words to insert, delete or replace to turn one text into the other. */
const wordDistance = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) => {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [row, word] of one.entries()) {
    const current = [row + 1]
    for (const [column, otherWord] of other.entries()) {
      const replaced = (above[column] ?? 0) + (word === otherWord ? 0 : 1)
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    above = current
  }
  return above[other.length] ?? 0
}

const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) =>
  one.length === other.length && one.every((word, at) => word === other[at])

/**
 * How far a sent text differs from its draft, in words: 0 when only whitespace differs, 1 when nothing is left. Very
 * long texts are compared by their beginnings, but whether they differ at all is judged from the whole.
 */
export const changedShare = (draft: string, sent: string): number => {
  const [before, after] = [wordsOf(draft), wordsOf(sent)]
  if (isSame(before, after)) return 0
  const longest = Math.min(Math.max(before.length, after.length), mostWords)
  const distance = wordDistance(before.slice(0, mostWords), after.slice(0, mostWords))
  return Math.max(distance, 1) / longest
}
