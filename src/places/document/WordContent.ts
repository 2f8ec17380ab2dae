import {
  AlignmentType,
  Bookmark,
  BookmarkEnd,
  BookmarkStart,
  BorderStyle,
  type FileChild,
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
import { makeHtmlReader } from "./HtmlBlocks.ts"
import type { ListNumbers } from "./ListNumbering.ts"
import { textWidth } from "./Page.ts"
import type { DocumentRoom, ReportDocument } from "./ReportDocument.ts"
import { cellMargins, gap, wordBlocks } from "./WordBlocks.ts"
import { makeImages, photoGrid } from "./WordPhotos.ts"
import { wordLines, wordText } from "./WordText.ts"

const nothing = "—"

const inWords = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const dateOf = (date: string | null) => (date === null ? null : inWords.format(new Date(`${date}T00:00:00Z`)))

const inline = (text: string | null): IPatch => ({
  type: PatchType.PARAGRAPH,
  children: wordLines(text ?? nothing).map((line, index) => new TextRun({ text: line, ...(index > 0 && { break: 1 }) }))
})

const blocks = (children: ReadonlyArray<FileChild>): IPatch => ({ type: PatchType.DOCUMENT, children: [...children] })

const heroBox = { width: 600, height: 340 }

const anchorOf = (index: number) => `room${index + 1}`

/** Where a link to a room leads. The library would give all of them the same number. */
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

/** The table of rooms: each leads to its place in the document. */
const roomList = (rooms: ReadonlyArray<DocumentRoom>) =>
  new Table({
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
      ...rooms.map(({ photos, title }, index) =>
        listRow([
          entry([
            new InternalHyperlink({ anchor: anchorOf(index), children: [new TextRun({ text: wordText(title) })] })
          ]),
          entry([new TextRun(photos.length === 0 ? nothing : String(photos.length))], true)
        ])
      )
    ]
  })

/** What goes into each placeholder of the template. The longest part comes last: each search looks through all before. */
export const documentPatches = (
  { hero, photosAtEnd, report, rooms }: ReportDocument,
  numbers: ListNumbers
): Readonly<Record<string, IPatch>> => {
  const readHtml = makeHtmlReader()
  const image = makeImages()

  const room = ({ html, photos, title }: DocumentRoom, index: number) => [
    new Paragraph({
      heading: HeadingLevel.HEADING_1,
      children: [new RoomBookmark(index, title)]
    }),
    ...wordBlocks(readHtml(html), numbers, textWidth),
    ...(photosAtEnd || photos.length === 0 ? [] : [photoGrid(photos, textWidth, image), gap()])
  ]

  const withPhotos = rooms.filter(({ photos }) => photos.length > 0)
  const photosOfRooms = withPhotos.flatMap(({ photos, title }) => [
    new Paragraph({ heading: HeadingLevel.HEADING_2, children: [new TextRun(wordText(title))] }),
    photoGrid(photos, textWidth, image),
    gap()
  ])

  return {
    address: inline(report.address),
    caseNumber: inline(report.caseNumber),
    clientNames: inline(report.clientNames),
    landlords: inline(report.landlords),
    tenants: inline(report.tenants),
    description: inline(report.description),
    reportDate: inline(dateOf(report.reportDate)),
    heroPhoto: {
      type: PatchType.PARAGRAPH,
      children: hero === undefined ? [] : [image(hero, report.address ?? "The place", heroBox)]
    },
    roomList: blocks(rooms.length === 0 ? [] : [roomList(rooms)]),
    photos: blocks(
      photosAtEnd && withPhotos.length > 0
        ? [
            new Paragraph({
              heading: HeadingLevel.HEADING_1,
              pageBreakBefore: true,
              children: [new TextRun("Photographs")]
            }),
            ...photosOfRooms
          ]
        : []
    ),
    rooms: blocks(
      rooms.length === 0
        ? [new Paragraph({ children: [new TextRun("No room has been described yet.")] })]
        : rooms.flatMap(room)
    )
  }
}
