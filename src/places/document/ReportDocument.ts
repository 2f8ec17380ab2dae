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

/** All that goes into the Word document of a report, in its order. */
export interface ReportDocument {
  readonly report: PlaceDescriptionReport
  readonly hero: DocumentPhoto | undefined
  readonly rooms: ReadonlyArray<DocumentRoom>
  readonly photosAtEnd: boolean
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Notes that nobody has turned into a text yet are better than nothing. */
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
      const title = `${index + 1}. ${room.name ?? "Room without a name"}`
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

/** The name of the file: characters that no file name can have become an underscore. */
export const documentFileName = ({ caseNumber, placeDescriptionReportID }: PlaceDescriptionReport) => {
  const name = (caseNumber ?? "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/:*?"<>|]/gu, "_")
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, "")
    .replace(/\.docx$/i, "")
  return /[^_\s.]/.test(name) ? `${name}.docx` : `PlaceDescription-${placeDescriptionReportID}.docx`
}
