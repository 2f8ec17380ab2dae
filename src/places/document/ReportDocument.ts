import type { ExportQuery, PlaceDescriptionReport } from "../../../schema/PlaceDescriptionReports.ts"
import type { StoredPhoto } from "../PhotosRepo.ts"
import type { StoredRoom } from "../RoomsRepo.ts"

export type DocumentPhoto = Pick<StoredPhoto, "accessToken" | "blobID" | "contentType" | "widthPx" | "heightPx">

export interface CaptionedPhoto {
  readonly photo: DocumentPhoto
  readonly caption: string
}

export interface DocumentRoom {
  readonly title: string
  readonly html: string
  readonly photos: ReadonlyArray<CaptionedPhoto>
}

/** Everything in the Word document of a report, in order. */
export interface ReportDocument {
  readonly report: PlaceDescriptionReport
  readonly hero: DocumentPhoto | undefined
  readonly rooms: ReadonlyArray<DocumentRoom>
  readonly photosAtEnd: boolean
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Notes that have not been transformed yet are better than nothing. */
const notesAsHtml = (notes: string) =>
  notes
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/[&<>]/g, (character) => entities[character] ?? ""))
    .filter((line) => line.trim() !== "")
    .map((line) => `<p>${line}</p>`)
    .join("")

/** Decides what a document shows: which photos, under which numbers, and where. */
export const composeDocument = (
  report: PlaceDescriptionReport,
  rooms: ReadonlyArray<StoredRoom>,
  photos: ReadonlyArray<StoredPhoto>,
  { excludeHeroPhoto = true, includePhotos = true, photoPlacement = "perRoom" }: ExportQuery
): ReportDocument => {
  const shown = includePhotos ? photos : []
  const hero = shown.find(({ accessToken }) => accessToken === report.heroPhotoAccessToken)
  let number = 0
  return {
    report,
    hero,
    photosAtEnd: photoPlacement === "atEnd" || photoPlacement === "at-end",
    rooms: rooms.map((room, index) => {
      const title = `${index + 1}. ${room.name ?? "Unnamed room"}`
      const own = shown.filter(
        (photo) => photo.placeDescriptionRoomID === room.placeDescriptionRoomID && !(excludeHeroPhoto && photo === hero)
      )
      return {
        title,
        html: room.transcriptHtml ?? notesAsHtml(room.transcriptRaw ?? ""),
        photos: own.map((photo) => {
          number += 1
          return { photo, caption: `Photo ${number} – ${room.name ?? `Room ${index + 1}`}` }
        })
      }
    })
  }
}

/** Most systems limit file names to 255 bytes; the rest is left for a copy's number or a download's suffix. */
const longestName = 200

/** Windows reserves these names for devices, with any extension and in any case. */
const reserved = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Cuts a text to a number of bytes without splitting a character. */
const shortened = (text: string, bytes: number) => {
  let [size, end] = [0, 0]
  for (const { index, segment } of letters.segment(text)) {
    size += Buffer.byteLength(segment)
    if (size > bytes) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

const trimmed = (name: string) => name.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, "")

/** The name of the file; characters that file names cannot have become underscores. */
export const documentFileName = ({ caseNumber, placeDescriptionReportID }: PlaceDescriptionReport) => {
  const plain = (caseNumber ?? "").toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/:*?"<>|]/gu, "_")
  const name = trimmed(shortened(trimmed(plain).replace(/\.docx$/i, ""), longestName))
  if (!/[^_\s.]/.test(name)) return `PlaceDescription-${placeDescriptionReportID}.docx`
  return reserved.test(name) ? `_${name}.docx` : `${name}.docx`
}
