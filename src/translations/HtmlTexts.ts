import { DomUtils, parseDocument } from "htmlparser2"
import { inPlaceOf } from "./Around.ts"
import { safeHtml } from "./SafeHtml.ts"

const isMarkup = (source: string) => /<\/?[a-z][^>]*>/i.test(source)

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Plain text as HTML: an empty line ends a paragraph. */
const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replaceAll(/\s*\n\s*/g, "<br />")}</p>`)
    .join("\n")

const kept = new Set(["pre", "code"])

type Nodes = ReturnType<typeof parseDocument>["children"]
type TextNode = Extract<Nodes[number], { data: string }>

const textNodesIn = (nodes: Nodes): ReadonlyArray<TextNode> =>
  nodes.flatMap((node) => {
    if (DomUtils.isText(node)) return /\p{L}/u.test(node.data) ? [node] : []
    return DomUtils.isTag(node) && !kept.has(node.name) ? textNodesIn(node.children) : []
  })

export interface HtmlTexts {
  /** The texts in the order of the page, without the spaces around them. */
  readonly texts: ReadonlyArray<string>
  /** The same page with other texts, one for one. */
  readonly withTexts: (texts: ReadonlyArray<string>) => string
}

/** Takes HTML apart into its markup, made safe, and its texts. Texts that are put back cannot become markup. */
export const htmlTexts = (source: string): HtmlTexts => {
  const safe = safeHtml(isMarkup(source) ? source : paragraphs(source))
  const page = parseDocument(safe)
  const nodes = textNodesIn(page.children)
  return {
    texts: nodes.map(({ data }) => data.trim()),
    withTexts: (texts) => {
      for (const [index, node] of nodes.entries()) {
        node.data = inPlaceOf(node.data, texts[index] ?? "")
      }
      return safeHtml(DomUtils.getOuterHTML(page.children, { decodeEntities: true }))
    }
  }
}
