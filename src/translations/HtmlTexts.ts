import { DomUtils, parseDocument } from "htmlparser2"
import { escapeHtml } from "../platform/text/Html.ts"
import { inPlaceOf } from "./Around.ts"
import { isMarkup, withAddresses } from "./Markup.ts"
import { piecesOf } from "./Pieces.ts"
import { safeHtml } from "./SafeHtml.ts"

const asLines = (paragraph: string) =>
  paragraph
    .split("\n")
    .map((line) => escapeHtml(line.trim()))
    .join("<br />")

/** Plain text as HTML: an empty line ends a paragraph. */
const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${asLines(paragraph.trim())}</p>`)
    .join("\n")

const isSaid = (piece: string) => piece.trim() !== ""

const kept = new Set(["pre", "code"])

type Nodes = ReturnType<typeof parseDocument>["children"]
type TextNode = Extract<Nodes[number], { data: string }>

const textNodesIn = (nodes: Nodes): ReadonlyArray<TextNode> =>
  nodes.flatMap((node) => {
    if (DomUtils.isText(node)) return /\p{L}/u.test(node.data) ? [node] : []
    return DomUtils.isTag(node) && !kept.has(node.name) ? textNodesIn(node.children) : []
  })

interface HtmlTexts {
  /** The texts in page order, without surrounding white space; a long text is split into several. */
  readonly texts: ReadonlyArray<string>
  /** The same page with each text replaced by the given one at its index. */
  readonly withTexts: (texts: ReadonlyArray<string>) => string
}

/** Splits HTML into its sanitized markup and its texts. Texts that are put back cannot become markup. */
export const htmlTexts = (source: string, longest: number): HtmlTexts => {
  const safe = safeHtml(isMarkup(source) ? withAddresses(source) : paragraphs(source))
  const page = parseDocument(safe)
  const nodes = textNodesIn(page.children).map((node) => ({ node, pieces: piecesOf(node.data, longest) }))
  return {
    texts: nodes.flatMap(({ pieces }) => pieces.filter(isSaid).map((piece) => piece.trim())),
    withTexts: (texts) => {
      let at = 0
      for (const { node, pieces } of nodes) {
        node.data = pieces.map((piece) => (isSaid(piece) ? inPlaceOf(piece, texts[at++] ?? "") : piece)).join("")
      }
      return safeHtml(DomUtils.getOuterHTML(page.children, { decodeEntities: true }))
    }
  }
}
