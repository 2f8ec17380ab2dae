import { DomUtils, parseDocument } from "htmlparser2"

type ChildNode = ReturnType<typeof parseDocument>["children"][number]
type Element = Extract<ChildNode, { readonly name: string; readonly attribs: object }>

const { isTag, isText } = DomUtils

export interface Marks {
  readonly bold: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly strike: boolean
  readonly review: boolean
}

/** A piece of text in one look, or the end of a line. */
export type Run = ({ readonly text: string } & Marks) | "break"

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly runs: ReadonlyArray<Run> }
  | { readonly kind: "paragraph"; readonly runs: ReadonlyArray<Run> }
  /** An entry of a list, or with isMore a further paragraph of the entry before it. */
  | {
      readonly kind: "item"
      readonly list: List
      readonly isMore: boolean
      readonly runs: ReadonlyArray<Run>
    }
  | { readonly kind: "table"; readonly rows: ReadonlyArray<ReadonlyArray<Cell>> }

/** Each list of a document has a number of its own, so that each begins to count at one. */
export interface List {
  readonly number: number
  readonly isOrdered: boolean
  readonly depth: number
}

export interface Cell {
  readonly isHeader: boolean
  readonly columns: number
  readonly rows: number
  readonly blocks: ReadonlyArray<Block>
}

const plain: Marks = { bold: false, italic: false, underline: false, strike: false, review: false }

const marking: Readonly<Record<string, Partial<Marks>>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  s: { strike: true },
  span: { review: true }
}

const childrenOf = (element: { readonly children: ReadonlyArray<ChildNode> }) => element.children

const elementsIn = (element: Element, ...names: ReadonlyArray<string>) =>
  childrenOf(element).filter((child): child is Element => isTag(child) && names.includes(child.name))

/** As a browser shows it: no space at the ends of a line, and never two in a row. */
const collapsed = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const result: Array<Run> = []
  let afterSpace = true
  for (const run of runs) {
    if (run === "break") {
      result.push(run)
      afterSpace = true
      continue
    }
    const single = run.text.replace(/[ \t\n\r\f]+/g, " ")
    const text: string = afterSpace ? single.replace(/^ /, "") : single
    if (text === "") continue
    afterSpace = text.endsWith(" ")
    result.push({ ...run, text })
  }
  const last = result.at(-1)
  if (last === undefined || last === "break" || !last.text.endsWith(" ")) return result
  const trimmed = last.text.trimEnd()
  return [...result.slice(0, -1), ...(trimmed === "" ? [] : [{ ...last, text: trimmed }])]
}

const asParagraph = (runs: ReadonlyArray<Run>): Block => ({ kind: "paragraph", runs })

const isBlock = (name: string) => /^(?:h[1-6]|p|ul|ol|li|table|caption)$/.test(name)

/** Reads one document; lists are numbered through all that it reads. */
export const makeHtmlReader = () => {
  let lists = 0

  /** Cuts a sequence of nodes into blocks. Text outside of any block is a paragraph, made by the given function. */
  const blocksOf = (
    nodes: ReadonlyArray<ChildNode>,
    paragraph: (runs: ReadonlyArray<Run>) => Block,
    depth: number
  ): ReadonlyArray<Block> => {
    const blocks: Array<Block> = []
    let runs: Array<Run> = []
    const endLine = () => {
      const line = collapsed(runs)
      if (line.some((run) => run !== "break")) blocks.push(paragraph(line))
      runs = []
    }
    const walk = (node: ChildNode, marks: Marks) => {
      if (isText(node)) return void runs.push({ text: node.data, ...marks })
      if (!isTag(node)) return
      if (node.name === "br") return void runs.push("break")
      if (!isBlock(node.name)) {
        for (const child of childrenOf(node)) walk(child, { ...marks, ...marking[node.name] })
        return
      }
      endLine()
      blocks.push(...blockOf(node, paragraph, depth))
    }
    for (const node of nodes) walk(node, plain)
    endLine()
    return blocks
  }

  const blockOf = (
    element: Element,
    paragraph: (runs: ReadonlyArray<Run>) => Block,
    depth: number
  ): ReadonlyArray<Block> => {
    const level = /^h([1-6])$/.exec(element.name)?.[1]
    if (level !== undefined) {
      return blocksOf(childrenOf(element), (runs) => ({ kind: "heading", level: Number(level), runs }), depth)
    }
    if (element.name === "table") return tableOf(element, depth)
    if (element.name === "ul" || element.name === "ol") return itemsOf(element, depth)
    return blocksOf(childrenOf(element), paragraph, depth)
  }

  const itemsOf = (element: Element, depth: number): ReadonlyArray<Block> => {
    lists += 1
    const list: List = { number: lists, isOrdered: element.name === "ol", depth }
    return childrenOf(element).flatMap((child) => {
      let isMore = false
      const item = (runs: ReadonlyArray<Run>): Block => {
        const block: Block = { kind: "item", list, isMore, runs }
        isMore = true
        return block
      }
      return blocksOf(isTag(child) && child.name === "li" ? childrenOf(child) : [child], item, depth + 1)
    })
  }

  /** A table, below its caption. */
  const tableOf = (element: Element, depth: number): ReadonlyArray<Block> => {
    const rows = elementsIn(element, "thead", "tbody", "tfoot", "tr").flatMap((part) =>
      part.name === "tr" ? [part] : elementsIn(part, "tr")
    )
    return [
      ...elementsIn(element, "caption").flatMap((caption) => blocksOf(childrenOf(caption), asParagraph, depth)),
      { kind: "table", rows: rows.map((row) => elementsIn(row, "td", "th").map((cell) => cellOf(cell, depth))) }
    ]
  }

  const cellOf = (element: Element, depth: number): Cell => ({
    isHeader: element.name === "th",
    columns: Number(element.attribs["colspan"] ?? 1),
    rows: Number(element.attribs["rowspan"] ?? 1),
    blocks: blocksOf(childrenOf(element), asParagraph, depth)
  })

  return (html: string): ReadonlyArray<Block> => blocksOf(parseDocument(html).children, asParagraph, 0)
}
