import {
  BorderStyle,
  type FileChild,
  HeadingLevel,
  LineRuleType,
  NumberProperties,
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
import type { Block, List, Run } from "./HtmlBlocks.ts"
import { deepestLevel, type ListNumbers } from "./ListNumbering.ts"
import { columnsIn, type Place, tableGrid } from "./TableGrid.ts"
import { wordText } from "./WordText.ts"

export const textRuns = (runs: ReadonlyArray<Run>, everywhere: { readonly bold?: boolean } = {}) =>
  runs.map((run) =>
    run === "break"
      ? new TextRun({ break: 1 })
      : new TextRun({
          text: wordText(run.text),
          ...(run.bold && { bold: true }),
          ...(run.italic && { italics: true }),
          ...(run.underline && { underline: {} }),
          ...(run.strike && { strike: true }),
          ...(run.review && { highlight: "yellow" }),
          ...everywhere
        })
  )

/** A paragraph of a list. The library's own numbering needs a document that it made itself, not one that it patches. */
class ListParagraph extends Paragraph {
  constructor(runs: ReadonlyArray<Run>, number: number, level: number) {
    super({ children: textRuns(runs), style: "ListParagraph" })
    const [properties] = this.root
    if (properties instanceof ParagraphProperties) properties.push(new NumberProperties(number, level))
  }
}

// Below the headings of the document itself.
const headings = [HeadingLevel.HEADING_2, HeadingLevel.HEADING_2, HeadingLevel.HEADING_3]

const headingOf = (level: number) => headings[level - 1] ?? HeadingLevel.HEADING_4

const levelOf = ({ depth }: List) => Math.min(depth, deepestLevel)

const line = { style: BorderStyle.SINGLE, size: 4, color: "BFBFBF" }

export const lines = { top: line, bottom: line, left: line, right: line }

export const cellMargins = { top: 60, bottom: 60, left: 100, right: 100 }

/** Tables in the cells of tables leave less and less; a column never goes away altogether. */
const narrowest = 200

/** A little space below a table. Without a paragraph between them, two tables would become one. */
export const gap = () =>
  new Paragraph({ children: [], spacing: { before: 0, after: 0, line: 160, lineRule: LineRuleType.EXACT } })

/** Puts blocks of text into Word, within a width in twentieths of a point. */
export const wordBlocks = (blocks: ReadonlyArray<Block>, numbers: ListNumbers, width: number): Array<FileChild> =>
  blocks.flatMap((block) => wordBlock(block, numbers, width))

const wordBlock = (block: Block, numbers: ListNumbers, width: number): Array<FileChild> => {
  switch (block.kind) {
    case "heading":
      return [new Paragraph({ children: textRuns(block.runs), heading: headingOf(block.level) })]
    case "paragraph":
      return [new Paragraph({ children: textRuns(block.runs) })]
    case "item":
      return [
        block.isMore
          ? new Paragraph({
              children: textRuns(block.runs),
              style: "ListParagraph",
              indent: { left: 360 * (levelOf(block.list) + 1) }
            })
          : new ListParagraph(block.runs, numbers.numberOf(block.list), levelOf(block.list))
      ]
    case "table":
      return wordTable(tableGrid(block.rows), numbers, width)
  }
}

const wordTable = (
  rows: ReadonlyArray<ReadonlyArray<Place>>,
  numbers: ListNumbers,
  width: number
): Array<FileChild> => {
  const count = Math.max(0, ...rows.map(columnsIn))
  if (count === 0) return []
  const column = Math.max(narrowest, Math.floor(width / count))
  const table = new Table({
    layout: TableLayoutType.FIXED,
    width: { size: column * count, type: WidthType.DXA },
    columnWidths: Array.from({ length: count }, () => column),
    borders: { ...lines, insideHorizontal: line, insideVertical: line },
    rows: rows.map(
      (row) =>
        new TableRow({
          tableHeader: row.every((place) => place.kind === "cell" && place.cell.isHeader),
          children: row.map((place) => wordCell(place, numbers, column))
        })
    )
  })
  return [table, gap()]
}

const wordCell = (place: Place, numbers: ListNumbers, column: number) => {
  const columns = place.kind === "empty" ? 1 : place.columns
  const shared = {
    width: { size: column * columns, type: WidthType.DXA },
    margins: cellMargins,
    ...(columns > 1 && { columnSpan: columns })
  }
  if (place.kind !== "cell") {
    return new TableCell({
      ...shared,
      ...(place.kind === "covered" && { verticalMerge: VerticalMergeType.CONTINUE }),
      children: [new Paragraph({ children: [] })]
    })
  }
  const { blocks, isHeader } = place.cell
  const only = blocks.length === 1 ? blocks[0] : undefined
  return new TableCell({
    ...shared,
    ...(place.isTall && { verticalMerge: VerticalMergeType.RESTART }),
    ...(isHeader && { shading: { type: ShadingType.CLEAR, color: "auto", fill: "F2F2F2" } }),
    children:
      only?.kind === "paragraph"
        ? [new Paragraph({ children: textRuns(only.runs, isHeader ? { bold: true } : {}), style: "TableText" })]
        : cellContent(wordBlocks(blocks, numbers, column * columns - 200))
  })
}

/** A cell ends with a paragraph, whatever else is in it. */
const cellContent = (content: ReadonlyArray<FileChild>) => {
  const kept = content.filter(
    (child): child is Paragraph | Table => child instanceof Paragraph || child instanceof Table
  )
  return kept.at(-1) instanceof Paragraph ? kept : [...kept, new Paragraph({ children: [] })]
}
