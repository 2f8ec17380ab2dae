import { patchDocument } from "docx"
import { Effect, Layer, type Option, Stream } from "effect"
import JSZip from "jszip"
import { InternalServerError } from "../../../schema/Errors.ts"
import { type ZippedFile, zipStream } from "../../files/ZipStream.ts"
import { Settings } from "../../platform/Settings.ts"
import { fn } from "../../platform/telemetry/Fn.ts"
import { DocxRenderer, type OpenPhoto } from "./DocxRenderer.ts"
import { addLists, freeListNumber, makeListNumbers } from "./ListNumbering.ts"
import { mediaPath, withPictureTypes } from "./PictureParts.ts"
import { fillPlaceholders } from "./Placeholders.ts"
import type { DocumentPhoto, ReportDocument } from "./ReportDocument.ts"
import { readTemplate } from "./Template.ts"
import { documentContent } from "./WordContent.ts"
import { pictureName } from "./WordPhotos.ts"

const unusable = new InternalServerError({
  message: "The template of the DOCX export is not a Word document. Tell the server's operator to check DOCX_TEMPLATE."
})

/** The template was made at another time. */
const datedNow = (properties: string) =>
  properties.replace(/(<dcterms:(?:created|modified)\b[^>]*>)[^<]*/g, `$1${new Date().toISOString()}`)

/** The whole document but for its photos, and the names of these. */
const putTogether = async (template: Uint8Array, document: ReportDocument, signal: AbortSignal) => {
  const numbers = makeListNumbers(await freeListNumber(await JSZip.loadAsync(template)))
  const { later, patches } = documentContent(document, numbers)
  const parts = await JSZip.loadAsync(await patchDocument({ outputType: "uint8array", data: template, patches }))
  const pictures = await fillPlaceholders(parts, later, signal)
  await addLists(parts, numbers, signal)
  const properties = parts.file("docProps/core.xml")
  if (properties !== null) parts.file(properties.name, datedNow(await properties.async("text")))
  const types = "[Content_Types].xml"
  parts.file(types, withPictureTypes((await parts.file(types)?.async("text")) ?? ""))
  return { parts, pictures }
}

const photosIn = ({ hero, rooms }: ReportDocument): ReadonlyArray<DocumentPhoto> => [
  ...(hero === undefined ? [] : [hero]),
  ...rooms.flatMap((room) => room.photos.map(({ photo }) => photo))
]

/** The photos behind the pictures of a package, as the files that they are in it. */
const photoFiles = (
  pictures: ReadonlySet<string>,
  photos: ReadonlyArray<DocumentPhoto>,
  openPhoto: OpenPhoto
): ReadonlyArray<ZippedFile> => {
  const known = new Map(photos.map((photo) => [pictureName(photo), photo]))
  return [...pictures].flatMap((picture) => {
    const photo = known.get(picture)
    if (photo === undefined) return []
    const content = Stream.fromEffect(Effect.suspend(() => openPhoto(photo)))
    return [{ name: mediaPath(picture), content, options: { compression: "STORE" } }]
  })
}

/** The renderer on the docx package, over a template with placeholders: the named one, or the project's own. */
export const patchedDocx = (template: Option.Option<string>) =>
  Layer.succeed(DocxRenderer, {
    render: fn("DocxRenderer.render")(function* (document, openPhoto) {
      const bytes = yield* readTemplate(template)
      const { parts, pictures } = yield* Effect.tryPromise((signal) => putTogether(bytes, document, signal)).pipe(
        Effect.tapErrorCause((cause) => Effect.logError("the DOCX template cannot be used", cause)),
        Effect.mapError(() => unusable)
      )
      return zipStream(() => parts, photoFiles(pictures, photosIn(document), openPhoto), { streamFiles: false })
    })
  })

export const PatchedDocx = Layer.unwrapEffect(Effect.map(Settings, ({ docxTemplate }) => patchedDocx(docxTemplate)))
