/** What a review mark is stored as. */
export const review = { class: "review", style: "background-color:#fff59d" }

const reviewStart = `<span class="${review.class}" style="${review.style}">`

/** Which of the markers in a text are a pair: a closing one and the last one that is still open; pairs may be nested. */
const pairedMarkers = (pieces: ReadonlyArray<string>) => {
  const paired = new Set<number>()
  const open: Array<number> = []
  for (const [index, piece] of pieces.entries()) {
    if (piece === "[[") open.push(index)
    if (piece !== "]]") continue
    const partner = open.pop()
    if (partner !== undefined) paired.add(partner).add(index)
  }
  return paired
}

/** Tags that end no paragraph, entry or cell. */
const inLine = /^<\/?(?:b|br|em|i|s|span|strong|u)\b/

/**
 * Turns what stands between [[ and ]] into review marks, also across tags. Where the end is missing, the rest of the
 * paragraph is marked: better too much is looked at than nothing. An end without a beginning stays as it is.
 */
export const markReviews = (html: string) => {
  const pieces = html.match(/<[^>]*>|\[\[|\]\]|[^<[\]]+|[[\]]/g) ?? []
  const paired = pairedMarkers(pieces)
  let depth = 0
  let isOpen = false
  return pieces
    .map((piece, index) => {
      if (paired.has(index)) {
        depth += piece === "[[" ? 1 : -1
        return ""
      }
      if (piece === "[[") {
        isOpen = true
        return ""
      }
      if (piece.startsWith("<")) {
        isOpen &&= inLine.test(piece)
        return piece
      }
      return (depth === 0 && !isOpen) || piece.trim() === "" ? piece : `${reviewStart}${piece}</span>`
    })
    .join("")
}
