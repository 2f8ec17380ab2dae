import { DomUtils, parseDocument } from "htmlparser2"
import { inRunningText } from "./RaisedText.ts"

type ChildNode = ReturnType<typeof parseDocument>["children"][number]
type Element = Extract<ChildNode, { readonly name: string; readonly attribs: object }>

const { isTag, isText } = DomUtils

/** Elements that separate lines of text and have no other meaning that a report could show. */
export const containers: ReadonlyArray<string> = [
  ..."address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure".split(" "),
  ..."footer form header hgroup hr legend main nav pre search section summary".split(" ")
]

const isDiv = (node: ChildNode): node is Element => isTag(node) && node.name === "div"

const blocks = /^(?:h[1-6]|p|[uo]l|li|table|caption|t(?:r|d|h|head|body|foot))$/

/** Blocks that contain only text. */
const ofText = /^(?:h[1-6]|p)$/

const holdsBlocks = (node: ChildNode): boolean =>
  isTag(node) && (blocks.test(node.name) || node.children.some(holdsBlocks))

const tagged = ({ attribs, name }: Element, content: string) =>
  `<${name}${Object.entries(attribs)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join("")}>${content}</${name}>`

/** The name of elements of which only the content stays. */
export const transparent = "plain"

/**
 * Replaces divs with paragraphs, or with line breaks where only text is allowed, so that words never run together.
 * Drops transparent elements, and keeps superscripts and subscripts recognisable.
 */
export const withoutDivs = (html: string): string => {
  if (!/<(?:div|plain|su[bp])\b/.test(html)) return html
  let hasWords = false
  let mustBreak = false
  const newLine = () => {
    hasWords = false
    mustBreak = false
  }

  const textOf = (data: string) => {
    if (data.trim() === "") return data
    const start = mustBreak && hasWords ? "<br />" : ""
    hasWords = true
    mustBreak = false
    return start + data
  }

  const inText = (node: ChildNode): string => {
    if (isText(node)) return textOf(node.data)
    if (!isTag(node)) return ""
    if (node.name === "br") {
      newLine()
      return "<br />"
    }
    if (node.name === "div") {
      mustBreak = true
      const content = node.children.map(inText).join("")
      mustBreak = true
      return content
    }
    if (node.name === transparent) return node.children.map(inText).join("")
    if (node.name === "sup" || node.name === "sub") return inRunningText(node.name, node.children.map(inText).join(""))
    if (!blocks.test(node.name)) return tagged(node, node.children.map(inText).join(""))
    newLine()
    const content = node.children.map(ofText.test(node.name) ? inText : amongBlocks).join("")
    newLine()
    return tagged(node, content)
  }

  const amongBlocks = (node: ChildNode): string => {
    if (isTag(node) && node.name === transparent) return node.children.map(amongBlocks).join("")
    return isDiv(node) ? paragraphsOf(node.children) : inText(node)
  }

  const paragraphsOf = (nodes: ReadonlyArray<ChildNode>): string => {
    let result = ""
    let line: Array<ChildNode> = []
    const endLine = () => {
      const hadWords = hasWords
      newLine()
      const content = line.map(inText).join("").trim()
      if (content !== "") result += `<p>${content}</p>`
      line = []
      hasWords = hadWords && content === ""
      mustBreak = true
    }
    for (const node of nodes) {
      if (isDiv(node) || holdsBlocks(node)) {
        endLine()
        result += amongBlocks(node)
      } else line.push(node)
    }
    endLine()
    return result
  }

  return parseDocument(html, { decodeEntities: false }).children.map(amongBlocks).join("")
}
