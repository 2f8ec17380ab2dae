import {
  BorderStyle,
  HeadingLevel,
  LineRuleType,
  NumberProperties,
  OnOffElement,
  Paragraph,
  ParagraphProperties,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  VerticalMergeType,
  WidthType
} from "docx"
import type { Allowance } from "./Allowance.ts"
import { runsGoBackward, stretchesOf, tableGoesBackward } from "./Direction.ts"
import type { Block, Cell, Run } from "./HtmlBlocks.ts"
import { type ListNumbers, levelOf } from "./ListNumbering.ts"
import { columnsIn, type Place, tableGrid } from "./TableGrid.ts"
import { wordText } from "./WordText.ts"
import { type Frame, filled, framed, frameOf, hole, xmlOf } from "./WordXml.ts"

const marksOf = (run: Exclude<Run, "break">) => ({
  ...(run.bold && { bold: true }),
  ...(run.italic && { italics: true }),
  ...(run.underline && { underline: {} }),
  ...(run.strike && { strike: true }),
  ...(run.review && { highlight: "yellow" as const })
})

const textRuns = function* (runs: ReadonlyArray<Run>, { turns }: Counts, everywhere: { readonly bold?: boolean } = {}) {
  const inBackward = runsGoBackward(runs)
  for (const run of runs) {
    if (run === "break") yield xmlOf(new TextRun({ break: 1 }))
    else {
      for (const { isBackward, text } of stretchesOf(wordText(run.text), inBackward, turns)) {
        yield xmlOf(new TextRun({ text, ...marksOf(run), ...everywhere, ...(isBackward && { rightToLeft: true }) }))
      }
    }
  }
}

/** A list paragraph. The library's own numbering works only in documents that it creates, not in patched ones. */
class ListParagraph extends Paragraph {
  constructor(number: number, level: number, isBackward: boolean) {
    super({ children: [hole.run], style: "ListParagraph" })
    const [properties] = this.root
    if (!(properties instanceof ParagraphProperties)) return
    properties.push(new NumberProperties(number, level))
    // Word requires this element after the number.
    if (isBackward) properties.push(new OnOffElement("w:bidi", true))
  }
}

// Below the headings of the document itself.
const headings = [HeadingLevel.HEADING_2, HeadingLevel.HEADING_2, HeadingLevel.HEADING_3]

const headingOf = (level: number) => headings[level - 1] ?? HeadingLevel.HEADING_4

const line = { style: BorderStyle.SINGLE, size: 4, color: "BFBFBF" }

export const lines = { top: line, bottom: line, left: line, right: line }

export const cellMargins = { top: 60, bottom: 60, left: 100, right: 100 }

/** Tables nested in cells get ever narrower, but a column never disappears altogether. */
const narrowest = 200

/** A little space below a table. Without a paragraph between them, two tables would become one. */
export const gap = () =>
  new Paragraph({ children: [], spacing: { before: 0, after: 0, line: 160, lineRule: LineRuleType.EXACT } })

/** What is counted across a whole document. */
export interface Counts {
  readonly numbers: ListNumbers
  /** How many places cells may still cover below themselves. */
  readonly covering: Allowance
  /** How many changes of direction are left. */
  readonly turns: Allowance
}

/** Writes blocks of text for Word, piece by piece, within a width in twentieths of a point. */
export const wordBlocks = function* (blocks: ReadonlyArray<Block>, counts: Counts, width: number): Generator<string> {
  for (const block of blocks) {
    if (block.kind === "table") yield* wordTable(tableGrid(block.rows, counts.covering), counts, width)
    else yield* filled(emptyParagraph(block, counts.numbers), textRuns(block.runs, counts))
  }
}

const emptyParagraph = (block: Exclude<Block, { readonly kind: "table" }>, numbers: ListNumbers) => {
  const isBackward = runsGoBackward(block.runs)
  const shared = { children: [hole.run], ...(isBackward && { bidirectional: true }) }
  switch (block.kind) {
    case "heading":
      return new Paragraph({ ...shared, heading: headingOf(block.level) })
    case "paragraph":
      return new Paragraph(shared)
    case "item":
      return block.isMore
        ? new Paragraph({ ...shared, style: "ListParagraph", indent: { left: 360 * (levelOf(block.list) + 1) } })
        : new ListParagraph(numbers.numberOf(block.list), levelOf(block.list), isBackward)
  }
}

const wordTable = function* (
  rows: ReadonlyArray<ReadonlyArray<Place>>,
  counts: Counts,
  width: number
): Generator<string> {
  const count = rows.reduce((most, row) => Math.max(most, columnsIn(row)), 0)
  if (count === 0) return
  const column = Math.max(narrowest, Math.floor(width / count))
  const table = new Table({
    layout: TableLayoutType.FIXED,
    width: { size: column * count, type: WidthType.DXA },
    columnWidths: Array.from({ length: count }, () => column),
    borders: { ...lines, insideHorizontal: line, insideVertical: line },
    ...(tableGoesBackward(rows) && { visuallyRightToLeft: true }),
    rows: [hole.row]
  })
  yield* filled(table, wordRows(rows, counts, column))
  yield xmlOf(gap())
}

const wordRows = function* (rows: ReadonlyArray<ReadonlyArray<Place>>, counts: Counts, column: number) {
  const frames = makeCellFrames(column)
  for (const row of rows) {
    const isHeader = row.every((place) => place.kind === "cell" && place.cell.isHeader)
    const cells = wordCells(row, frames, counts, column)
    yield* filled(new TableRow({ tableHeader: isHeader, children: [hole.cell] }), cells)
  }
}

const wordCells = function* (
  row: ReadonlyArray<Place>,
  frameOfCell: (place: Place) => Frame,
  counts: Counts,
  column: number
) {
  for (const place of row) {
    const content = place.kind === "cell" ? cellContent(place.cell, counts, column * place.columns - 200) : [emptyLine]
    yield* framed(frameOfCell(place), content)
  }
}

/**
 * Returns the frame around a cell's content. Many cells of a table look the same, so each look is written only once.
 */
const makeCellFrames = (column: number) => {
  const known = new Map<string, Frame>()
  return (place: Place): Frame => {
    const isTall = place.kind === "cell" && place.isTall
    const isHeader = place.kind === "cell" && place.cell.isHeader
    const look = [place.kind, place.columns, isTall, isHeader].join(" ")
    const frame =
      known.get(look) ??
      frameOf(
        new TableCell({
          width: { size: column * place.columns, type: WidthType.DXA },
          margins: cellMargins,
          ...(place.columns > 1 && { columnSpan: place.columns }),
          ...(place.kind === "covered" && { verticalMerge: VerticalMergeType.CONTINUE }),
          ...(isTall && { verticalMerge: VerticalMergeType.RESTART }),
          ...(isHeader && { shading: { type: ShadingType.CLEAR, color: "auto", fill: "F2F2F2" } }),
          children: [hole.paragraph]
        })
      )
    known.set(look, frame)
    return frame
  }
}

const emptyLine = xmlOf(new Paragraph({ children: [] }))

/** A cell must have a paragraph, whatever else is in it. */
const cellContent = function* ({ blocks, isHeader }: Cell, counts: Counts, width: number) {
  const only = blocks.length === 1 ? blocks[0] : undefined
  if (only?.kind === "paragraph") {
    const isBackward = runsGoBackward(only.runs)
    const paragraph = new Paragraph({
      children: [hole.run],
      style: "TableText",
      ...(isBackward && { bidirectional: true })
    })
    return yield* filled(paragraph, textRuns(only.runs, counts, isHeader ? { bold: true } : {}))
  }
  let isEmpty = true
  for (const piece of wordBlocks(blocks, counts, width)) {
    isEmpty = false
    yield piece
  }
  if (isEmpty) yield emptyLine
}
