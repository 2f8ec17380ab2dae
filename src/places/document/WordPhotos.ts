import {
  AlignmentType,
  BorderStyle,
  Document,
  hashedId,
  type IContext,
  ImageRun,
  Paragraph,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  VerticalAlignTable,
  WidthType
} from "docx"
import { Array as Arr } from "effect"
import type { CaptionedPhoto, DocumentPhoto } from "./ReportDocument.ts"
import { wordText } from "./WordText.ts"
import { filled, hole, xmlOf } from "./WordXml.ts"

interface Box {
  readonly width: number
  readonly height: number
}

/**
 * Scales a picture to fit into a box in its own proportions; small pictures are enlarged too, but never beyond the box.
 */
export const fitInto = ({ heightPx, widthPx }: Pick<DocumentPhoto, "heightPx" | "widthPx">, box: Box): Box => {
  const scale = Math.min(box.width / widthPx, box.height / heightPx)
  return { width: Math.max(1, Math.round(widthPx * scale)), height: Math.max(1, Math.round(heightPx * scale)) }
}

const extensionOf = ({ contentType }: Pick<DocumentPhoto, "contentType">) =>
  contentType === "image/png" ? "png" : "jpg"

/** Stands for the bytes of a photo in its picture; the bytes themselves are added only when the file is written. */
const standInFor = ({ accessToken }: Pick<DocumentPhoto, "accessToken">) => Buffer.from(accessToken)

/** The name by which the text refers to a photo. */
export const pictureName = (photo: Pick<DocumentPhoto, "accessToken" | "contentType">) =>
  `${hashedId(standInFor(photo))}.${extensionOf(photo)}`

/** A picture that is kept from the patcher, which would search the whole text once for each picture. */
class PhotoRun extends ImageRun {
  static readonly #nowhere = new Document({ sections: [] })
  override prepForXml(context: IContext) {
    return super.prepForXml({ ...context, file: PhotoRun.#nowhere })
  }
}

/** Higher than any number that the pictures of a template have. */
const firstNumber = 10_000

/** Makes the pictures of one document. The library would give all of them the same number. */
export const makeImages = () => {
  let made = 0
  /** Word cannot show WebP, so such a photo is converted to JPEG later. */
  return (photo: DocumentPhoto, description: string, box: Box) => {
    made += 1
    const name = wordText(description)
    return new PhotoRun({
      type: extensionOf(photo),
      data: standInFor(photo),
      transformation: fitInto(photo, box),
      altText: { name, title: name, description: name, id: String(firstNumber + made) }
    })
  }
}

type MakeImage = ReturnType<typeof makeImages>

const across = 2

const cellBox: Box = { width: 300, height: 225 }

const none = { style: BorderStyle.NONE, size: 0, color: "auto" }

const noLines = { top: none, bottom: none, left: none, right: none }

const photoCell = (entry: CaptionedPhoto | undefined, width: number, image: MakeImage) =>
  new TableCell({
    width: { size: width, type: WidthType.DXA },
    borders: noLines,
    verticalAlign: VerticalAlignTable.BOTTOM,
    margins: { top: 80, bottom: 80, left: 60, right: 60 },
    children:
      entry === undefined
        ? [new Paragraph({ children: [] })]
        : [
            new Paragraph({
              alignment: AlignmentType.CENTER,
              spacing: { before: 0, after: 60 },
              children: [image(entry.photo, entry.caption, cellBox)]
            }),
            new Paragraph({ style: "Caption", children: [new TextRun(wordText(entry.caption))] })
          ]
  })

/** Photos side by side in rows, each above its caption; a row never breaks across two pages. */
export const photoGrid = (photos: ReadonlyArray<CaptionedPhoto>, width: number, image: MakeImage) => {
  const column = Math.floor(width / across)
  const table = new Table({
    layout: TableLayoutType.FIXED,
    width: { size: column * across, type: WidthType.DXA },
    columnWidths: Array.from({ length: across }, () => column),
    borders: { ...noLines, insideHorizontal: none, insideVertical: none },
    rows: [hole.row]
  })
  return filled(table, photoRows(photos, column, image))
}

const photoRows = function* (photos: ReadonlyArray<CaptionedPhoto>, column: number, image: MakeImage) {
  for (const row of Arr.chunksOf(photos, across)) {
    const children = Array.from({ length: across }, (_, index) => photoCell(row[index], column, image))
    yield xmlOf(new TableRow({ cantSplit: true, children }))
  }
}
