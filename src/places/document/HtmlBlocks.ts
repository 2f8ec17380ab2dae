import { DomHandler, DomUtils, Parser, type parseDocument } from "htmlparser2"

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

/** A piece of text with one set of marks, or a line break. */
export type Run = ({ readonly text: string } & Marks) | "break"

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly runs: ReadonlyArray<Run> }
  | { readonly kind: "paragraph"; readonly runs: ReadonlyArray<Run> }
  /** A list item, or with isMore a further paragraph of the item before it. */
  | {
      readonly kind: "item"
      readonly list: List
      readonly isMore: boolean
      readonly runs: ReadonlyArray<Run>
    }
  | { readonly kind: "table"; readonly rows: ReadonlyArray<ReadonlyArray<Cell>> }

/** Each list of a document has its own number, so that each is counted separately. */
export interface List {
  readonly number: number
  readonly isOrdered: boolean
  readonly depth: number
  /** The number of its first item. */
  readonly start: number
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

const isPartOfTable = (node: ChildNode): node is Element => isTag(node) && /^t(?:d|h|r|head|body|foot)$/.test(node.name)

/** Collapses white space as a browser does: no space at the ends of a line, and never two in a row. */
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

// Parts of a table get here only when there is no table around them.
const isBlock = (name: string) => /^(?:h[1-6]|p|[uo]l|li|table|caption|t(?:r|d|h|head|body|foot))$/.test(name)

/** How many characters are parsed at once. */
const portion = 10_000

/**
 * Work that may pause after each step to let other work run; the empty text that it yields adds nothing to a document.
 */
type Steps<A> = Generator<"", A>

const parsed = function* (html: string): Steps<ReadonlyArray<ChildNode>> {
  const handler = new DomHandler()
  const parser = new Parser(handler)
  for (let at = 0; at < html.length; at += portion) {
    parser.write(html.slice(at, at + portion))
    yield ""
  }
  parser.end()
  return handler.root.children
}

/** What blocks inherit from the elements around them: how many lists those are, and their marks. */
interface Around {
  readonly depth: number
  readonly marks: Marks
}

type MakeBlock = (runs: ReadonlyArray<Run>) => Block

/** Reads one document in steps; lists are numbered across everything that it reads. */
export const makeHtmlReader = () => {
  let lists = 0

  /**
   * Cuts a sequence of nodes into blocks. Text outside of any block becomes a paragraph, made by the given function.
   */
  const blocksOf = function* (
    nodes: ReadonlyArray<ChildNode>,
    paragraph: MakeBlock,
    around: Around
  ): Steps<ReadonlyArray<Block>> {
    const blocks: Array<Block> = []
    let runs: Array<Run> = []
    const endLine = () => {
      const line = collapsed(runs)
      if (line.some((run) => run !== "break")) blocks.push(paragraph(line))
      runs = []
    }
    const walk = function* (children: ReadonlyArray<ChildNode>, marks: Marks): Steps<void> {
      for (const node of children) {
        if (isText(node)) runs.push({ text: node.data, ...marks })
        if (!isTag(node)) continue
        yield ""
        if (node.name === "br") runs.push("break")
        else if (!isBlock(node.name)) yield* walk(childrenOf(node), { ...marks, ...marking[node.name] })
        else {
          endLine()
          for (const block of yield* blockOf(node, paragraph, { ...around, marks })) blocks.push(block)
        }
      }
    }
    yield* walk(nodes, around.marks)
    endLine()
    return blocks
  }

  const blockOf = (element: Element, paragraph: MakeBlock, around: Around): Steps<ReadonlyArray<Block>> => {
    const level = /^h([1-6])$/.exec(element.name)?.[1]
    if (level !== undefined) {
      return blocksOf(childrenOf(element), (runs) => ({ kind: "heading", level: Number(level), runs }), around)
    }
    if (element.name === "table") return tableOf(element, around)
    if (element.name === "ul" || element.name === "ol") return itemsOf(element, around)
    return blocksOf(childrenOf(element), paragraph, around)
  }

  const itemsOf = function* (element: Element, { depth, marks }: Around): Steps<ReadonlyArray<Block>> {
    lists += 1
    const start = Number(element.attribs["start"] ?? 1)
    const list: List = { number: lists, isOrdered: element.name === "ol", depth, start }
    const blocks: Array<Block> = []
    for (const child of childrenOf(element)) {
      for (const block of yield* itemOf(child, list, marks)) blocks.push(block)
      yield ""
    }
    return blocks
  }

  /** Reads a list item, or a node between items. An item without text still shows its number, as in a browser. */
  const itemOf = function* (child: ChildNode, list: List, marks: Marks): Steps<ReadonlyArray<Block>> {
    let isMore = false
    const item = (runs: ReadonlyArray<Run>): Block => {
      const block: Block = { kind: "item", list, isMore, runs }
      isMore = true
      return block
    }
    const isEntry = isTag(child) && child.name === "li"
    const blocks = yield* blocksOf(isEntry ? childrenOf(child) : [child], item, { depth: list.depth + 1, marks })
    return isEntry && list.isOrdered && !isMore ? [item([]), ...blocks] : blocks
  }

  /**
   * Reads a table. Its caption and any other content outside of cells go above it. Cells outside of rows form a row, as
   * in a browser.
   */
  const tableOf = function* (element: Element, around: Around): Steps<ReadonlyArray<Block>> {
    const blocks: Array<Block> = []
    const rows: Array<ReadonlyArray<Cell>> = []
    const read = function* (nodes: ReadonlyArray<ChildNode>, isRow: boolean): Steps<void> {
      let cells: Array<Cell> = []
      let others: Array<ChildNode> = []
      const endOthers = function* (): Steps<void> {
        for (const block of yield* blocksOf(others, asParagraph, around)) blocks.push(block)
        others = []
      }
      for (const node of nodes) {
        if (!isPartOfTable(node)) {
          others.push(node)
          continue
        }
        yield* endOthers()
        if (node.name === "td" || node.name === "th") cells.push(yield* cellOf(node, around))
        else {
          if (cells.length > 0) rows.push(cells)
          cells = []
          yield* read(childrenOf(node), node.name === "tr")
        }
      }
      yield* endOthers()
      if (isRow || cells.length > 0) rows.push(cells)
    }
    yield* read(childrenOf(element), false)
    return [...blocks, { kind: "table", rows }]
  }

  const cellOf = function* (cell: Element, around: Around): Steps<Cell> {
    const blocks = yield* blocksOf(childrenOf(cell), asParagraph, around)
    yield ""
    return {
      isHeader: cell.name === "th",
      columns: Number(cell.attribs["colspan"] ?? 1),
      rows: Number(cell.attribs["rowspan"] ?? 1),
      blocks
    }
  }

  return function* (html: string): Steps<ReadonlyArray<Block>> {
    return yield* blocksOf(yield* parsed(html), asParagraph, { depth: 0, marks: plain })
  }
}
