import {
  AlignmentType,
  Bookmark,
  BookmarkEnd,
  BookmarkStart,
  BorderStyle,
  HeadingLevel,
  InternalHyperlink,
  type IPatch,
  Paragraph,
  PatchType,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType
} from "docx"
import { makeAllowance } from "./Allowance.ts"
import { makeHtmlReader } from "./HtmlBlocks.ts"
import type { ListNumbers } from "./ListNumbering.ts"
import { textWidth } from "./Page.ts"
import { blocksLater, type Content, runsLater } from "./Placeholders.ts"
import type { DocumentRoom, ReportDocument } from "./ReportDocument.ts"
import { cellMargins, gap, wordBlocks } from "./WordBlocks.ts"
import { makeImages, photoGrid } from "./WordPhotos.ts"
import { wordLines, wordText } from "./WordText.ts"
import { filled, hole, xmlOf } from "./WordXml.ts"

const nothing = "—"

const inWords = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const dateOf = (date: string | null) => (date === null ? null : inWords.format(new Date(`${date}T00:00:00Z`)))

const lineRun = (line: string, index: number) => new TextRun({ text: line, ...(index > 0 && { break: 1 }) })

const inline = (text: string | null): IPatch => ({
  type: PatchType.PARAGRAPH,
  children: wordLines(text ?? nothing).map(lineRun)
})

/** A text of many lines, with the text properties of its placeholder. */
const lines = function* (text: string | null, properties: string) {
  for (const [index, line] of wordLines(text ?? nothing).entries()) {
    yield xmlOf(lineRun(line, index)).replace(/^<w:r>/, (start) => start + properties)
  }
}

const heroBox = { width: 600, height: 340 }

const anchorOf = (index: number) => `room${index + 1}`

/** The target of links to a room. The library would give all bookmarks the same number. */
class RoomBookmark extends Bookmark {
  override readonly start: BookmarkStart
  override readonly end: BookmarkEnd
  constructor(index: number, title: string) {
    super({ id: anchorOf(index), children: [new TextRun(wordText(title))] })
    const number = 10_000 + index
    this.start = new BookmarkStart(anchorOf(index), number)
    this.end = new BookmarkEnd(number)
  }
}

const none = { style: BorderStyle.NONE, size: 0, color: "auto" }
const thin = { style: BorderStyle.SINGLE, size: 4, color: "D9D9D9" }

const listColumns = [textWidth - 1600, 1600] as const

const listRow = (children: readonly [Paragraph, Paragraph], isHeader = false) =>
  new TableRow({
    cantSplit: true,
    tableHeader: isHeader,
    children: children.map(
      (child, index) =>
        new TableCell({
          width: { size: listColumns[index] ?? 0, type: WidthType.DXA },
          margins: cellMargins,
          ...(isHeader && { shading: { type: ShadingType.CLEAR, color: "auto", fill: "E7EDF3" } }),
          children: [child]
        })
    )
  })

const entry = (children: ReadonlyArray<TextRun | InternalHyperlink>, isRight = false) =>
  new Paragraph({
    style: "TableText",
    children: [...children],
    ...(isRight && { alignment: AlignmentType.RIGHT })
  })

const roomRows = function* (rooms: ReadonlyArray<DocumentRoom>) {
  for (const [index, { photos, title }] of rooms.entries()) {
    const link = new InternalHyperlink({
      anchor: anchorOf(index),
      children: [new TextRun({ text: wordText(title) })]
    })
    yield xmlOf(
      listRow([entry([link]), entry([new TextRun(photos.length === 0 ? nothing : String(photos.length))], true)])
    )
  }
}

/** The table of rooms; each row links to its room in the document. */
const roomList = (rooms: ReadonlyArray<DocumentRoom>) => {
  const table = new Table({
    layout: TableLayoutType.FIXED,
    width: { size: textWidth, type: WidthType.DXA },
    columnWidths: [...listColumns],
    borders: { top: thin, bottom: thin, left: none, right: none, insideHorizontal: thin, insideVertical: none },
    rows: [
      listRow(
        [
          entry([new TextRun({ text: "Room", bold: true })]),
          entry([new TextRun({ text: "Photos", bold: true })], true)
        ],
        true
      ),
      hole.row
    ]
  })
  return filled(table, roomRows(rooms))
}

/**
 * The content of each placeholder of the template. Content that may be long is inserted only after the patcher has run,
 * which would take too long over it.
 */
export const documentContent = (
  { hero, photosAtEnd, report, rooms }: ReportDocument,
  numbers: ListNumbers
): { readonly patches: Readonly<Record<string, IPatch>>; readonly later: Readonly<Record<string, Content>> } => {
  const readHtml = makeHtmlReader()
  const counts = { numbers, covering: makeAllowance(), turns: makeAllowance() }
  const image = makeImages()

  const room = function* ({ html, photos, title }: DocumentRoom, index: number) {
    yield xmlOf(new Paragraph({ heading: HeadingLevel.HEADING_1, children: [new RoomBookmark(index, title)] }))
    yield* wordBlocks(yield* readHtml(html), counts, textWidth)
    if (photosAtEnd || photos.length === 0) return
    yield* photoGrid(photos, textWidth, image)
    yield xmlOf(gap())
  }

  const roomTexts = function* () {
    if (rooms.length === 0) {
      yield xmlOf(new Paragraph({ children: [new TextRun("No rooms have been described yet.")] }))
    }
    for (const [index, one] of rooms.entries()) yield* room(one, index)
  }

  const photosOfRooms = function* () {
    const withPhotos = rooms.filter(({ photos }) => photos.length > 0)
    if (!photosAtEnd || withPhotos.length === 0) return
    yield xmlOf(
      new Paragraph({
        heading: HeadingLevel.HEADING_1,
        pageBreakBefore: true,
        children: [new TextRun("Photographs")]
      })
    )
    for (const { photos, title } of withPhotos) {
      yield xmlOf(new Paragraph({ heading: HeadingLevel.HEADING_2, children: [new TextRun(wordText(title))] }))
      yield* photoGrid(photos, textWidth, image)
      yield xmlOf(gap())
    }
  }

  return {
    patches: {
      address: inline(report.address),
      caseNumber: inline(report.caseNumber),
      clientNames: inline(report.clientNames),
      landlords: inline(report.landlords),
      tenants: inline(report.tenants),
      description: runsLater("description"),
      reportDate: inline(dateOf(report.reportDate)),
      heroPhoto: {
        type: PatchType.PARAGRAPH,
        children: hero === undefined ? [] : [image(hero, report.address ?? "The place", heroBox)]
      },
      roomList: blocksLater("roomList"),
      photos: blocksLater("photos"),
      rooms: blocksLater("rooms")
    },
    later: {
      description: (properties) => lines(report.description, properties),
      roomList: () => (rooms.length === 0 ? [] : roomList(rooms)),
      photos: photosOfRooms,
      rooms: roomTexts
    }
  }
}
