/** The class and style with which a review mark is stored. */
export const review = { class: "review", style: "background-color:#fff59d" }

const reviewStart = `<span class="${review.class}" style="${review.style}">`

/** Returns which markers are paired: a closing one pairs with the last one that is still open; pairs may be nested. */
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

/** Inline tags, which do not end a paragraph, list item or cell. */
const inLine = /^<\/?(?:b|br|em|i|s|span|strong|u)\b/

/**
 * Turns the text between [[ and ]] into review marks, also across tags. Without a closing marker the rest of the
 * paragraph is marked: marking too much is better than marking nothing. A closing marker on its own stays as it is.
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
