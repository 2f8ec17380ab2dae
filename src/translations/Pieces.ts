/** Where a text may be cut, best first: between paragraphs, lines, sentences, words. */
const cuts = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s/g, /\s/g]

const lastCut = (text: string) => {
  for (const cut of cuts) {
    const last = [...text.matchAll(cut)].at(-1)
    // A cut near the beginning would produce many small pieces.
    if (last !== undefined && last.index > text.length / 4) return last.index + last[0].length
  }
  // Never between the two halves of a surrogate pair.
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
}

/** Cuts a long text into pieces whose concatenation is the text again. */
export const piecesOf = (text: string, longest: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let rest = text
  while (rest.length > longest) {
    const end = lastCut(rest.slice(0, longest))
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}
