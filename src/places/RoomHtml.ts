import sanitize from "sanitize-html"
import { fencedPart, withoutFence } from "../ai/AnswerText.ts"
import { isTooMuch, withoutTags } from "../platform/Html.ts"
import { containers, transparent, withoutDivs } from "./WithoutDivs.ts"

const emphasis = ["strong", "b", "em", "i", "u", "s"]

const blocks = ["h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "ul", "ol", "li"]

const tables = ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"]

const review = { class: "review", style: "background-color:#fff59d" }

const reviewStart = `<span class="${review.class}" style="${review.style}">`

const isReview = (attributes: sanitize.Attributes) => /(?:^|\s)review(?:\s|$)/.test(attributes["class"] ?? "")

const cell: sanitize.Transformer = (tagName, attributes) => ({
  tagName,
  attribs: Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => (name === "colspan" || name === "rowspan") && /^[1-9]\d?$/.test(value)
    )
  )
})

const becoming = (tagName: string, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, () => ({ tagName, attribs: {} })]))

const sanitized = (html: string) =>
  sanitize(html, {
    allowedTags: [...blocks, ...tables, ...emphasis, "span", "div", transparent],
    allowedAttributes: { span: ["class", "style"], td: ["colspan", "rowspan"], th: ["colspan", "rowspan"] },
    // Not parsed: transformTags leaves no style but our own.
    parseStyleAttributes: false,
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "iframe", "xmp", "svg", "math"],
    nestingLimit: 50,
    transformTags: {
      // Taken away later: sanitize would write its end tag in the place of the next one.
      span: (_, attributes) =>
        isReview(attributes) ? { tagName: "span", attribs: { ...review } } : { tagName: transparent, attribs: {} },
      mark: () => ({ tagName: "span", attribs: { ...review } }),
      td: cell,
      th: cell,
      ...becoming("div", containers),
      ...becoming("ul", ["dir", "menu"]),
      ...becoming("s", ["del", "strike"])
    }
  })

/** Its lines are held apart by nothing else. */
const withLines = (html: string) =>
  html.replace(/<pre\b.*?(?:<\/pre|$)/gis, (pre) =>
    pre
      .replace(/^(<pre[^<>]*>)\r?\n/i, "$1")
      .replace(/<[^<>]*>|\r?\n/g, (found) => (found.startsWith("<") ? found : "<br />"))
  )

const cleaned = (html: string) => withoutDivs(sanitized(html)).trim()

const untilStable = (html: string, passes: number): string => {
  const clean = cleaned(html)
  return clean === html || passes === 1 ? clean : untilStable(clean, passes - 1)
}

/**
 * Headings, paragraphs, lists, tables, emphasis and review marks; of everything else the text alone stays, in paragraphs
 * where it stood apart. What a tag
 * held apart may come to stand differently once it is gone, so that it takes a second look until nothing changes.
 */
export const cleanHtml = (html: string) => (isTooMuch(html) ? withoutTags(html) : untilStable(withLines(html), 5))

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

/** Turns what stands between [[ and ]] into review marks, also across tags. What has no partner stays as it is. */
export const markReviews = (html: string) => {
  const pieces = html.match(/<[^>]*>|\[\[|\]\]|[^<[\]]+|[[\]]/g) ?? []
  const paired = pairedMarkers(pieces)
  let depth = 0
  return pieces
    .map((piece, index) => {
      if (paired.has(index)) {
        depth += piece === "[[" ? 1 : -1
        return ""
      }
      return depth === 0 || piece.startsWith("<") || piece.trim() === "" ? piece : `${reviewStart}${piece}</span>`
    })
    .join("")
}

const asParagraphs = (text: string) =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br />")}</p>`)
    .join("")

/** What a model answered, as the HTML that a room may have; empty when there is no text in it. */
export const htmlOfAnswer = (answer: string) => {
  const fenced = fencedPart(answer, /<(?:p|div|section|h[1-6]|ul|ol|dl|table)\b/i)
  const clean = cleanHtml(fenced === answer ? withoutFence(answer, "html") : fenced)
  const html = markReviews(/<(?:p|h[1-6]|ul|ol|table)\b/.test(clean) ? clean : asParagraphs(clean))
  return html.replace(/<[^>]*>|&nbsp;|\s/g, "") === "" ? "" : html
}
