import { patchDocument } from "docx"
import JSZip from "jszip"
import { addLists, freeListNumber, makeListNumbers } from "./ListNumbering.ts"
import { mediaPath, withPictureTypes } from "./PictureParts.ts"
import { fillPlaceholders } from "./Placeholders.ts"
import type { DocumentPhoto, ReportDocument } from "./ReportDocument.ts"
import { documentContent } from "./WordContent.ts"
import { pictureName } from "./WordPhotos.ts"

/** Replaces the dates of the template with the current time. */
const datedNow = (properties: string) =>
  properties.replace(/(<dcterms:(?:created|modified)\b[^>]*>)[^<]*/g, `$1${new Date().toISOString()}`)

const photosIn = ({ hero, rooms }: ReportDocument): ReadonlyArray<DocumentPhoto> => [
  ...(hero === undefined ? [] : [hero]),
  ...rooms.flatMap((room) => room.photos.map(({ photo }) => photo))
]

/** A photo and its file name in the package. */
export interface PhotoPart {
  readonly name: string
  readonly photo: DocumentPhoto
}

const photoParts = (pictures: ReadonlySet<string>, document: ReportDocument): ReadonlyArray<PhotoPart> => {
  const known = new Map(photosIn(document).map((photo) => [pictureName(photo), photo]))
  return [...pictures].flatMap((picture) => {
    const photo = known.get(picture)
    return photo === undefined ? [] : [{ name: mediaPath(picture), photo }]
  })
}

/** Builds the whole document except its photos, and returns where those belong. */
export const putTogether = async (template: Uint8Array, document: ReportDocument, signal: AbortSignal) => {
  const numbers = makeListNumbers(await freeListNumber(await JSZip.loadAsync(template)))
  const { later, patches } = documentContent(document, numbers)
  const parts = await JSZip.loadAsync(await patchDocument({ outputType: "uint8array", data: template, patches }))
  const pictures = await fillPlaceholders(parts, later, signal)
  await addLists(parts, numbers, signal)
  const properties = parts.file("docProps/core.xml")
  if (properties !== null) parts.file(properties.name, datedNow(await properties.async("text")))
  const types = "[Content_Types].xml"
  parts.file(types, withPictureTypes((await parts.file(types)?.async("text")) ?? ""))
  return { parts, photos: photoParts(pictures, document) }
}
