import * as NodeStream from "@effect/platform-node/NodeStream"
import { patchDocument } from "docx"
import { Data, Effect, Layer, type Option, Stream } from "effect"
import JSZip from "jszip"
import { InternalServerError } from "../../../schema/Errors.ts"
import { Settings } from "../../platform/Settings.ts"
import { fn } from "../../platform/telemetry/Fn.ts"
import { DocxRenderer, type OpenPhoto } from "./DocxRenderer.ts"
import { addLists, freeListNumber, makeListNumbers } from "./ListNumbering.ts"
import { addRelations, isText, linkPictures, mediaPath, withPictureTypes } from "./PictureParts.ts"
import type { DocumentPhoto, ReportDocument } from "./ReportDocument.ts"
import { readTemplate } from "./Template.ts"
import { documentPatches } from "./WordContent.ts"
import { pictureName } from "./WordPhotos.ts"
import { withoutStandIns } from "./WordText.ts"

const unusable = new InternalServerError({
  message: "The template of the DOCX export is not a Word document. Tell the server's operator to check DOCX_TEMPLATE."
})

/** The writer failed in the middle of the document, when the answer was under way already. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly cause: unknown }> {}

/** The whole document but for its photos. */
const putTogether = async (template: Uint8Array, document: ReportDocument) => {
  const zip = await JSZip.loadAsync(template)
  const numbers = makeListNumbers(await freeListNumber(zip))
  const patches = documentPatches(document, numbers)
  await addLists(zip, numbers)
  const data = await zip.generateAsync({ type: "uint8array" })
  return JSZip.loadAsync(await patchDocument({ outputType: "uint8array", data, patches }))
}

const photosIn = ({ hero, rooms }: ReportDocument): ReadonlyArray<DocumentPhoto> => [
  ...(hero === undefined ? [] : [hero]),
  ...rooms.flatMap((room) => room.photos.map(({ photo }) => photo))
]

/** Ties the pictures in the texts to files of the package; answers their names. */
const linkAll = async (parts: JSZip) => {
  const all = new Set<string>()
  for (const part of Object.values(parts.files).filter(({ name }) => isText(name))) {
    const { pictures, xml } = linkPictures(withoutStandIns(await part.async("text")))
    parts.file(part.name, xml)
    if (pictures.length > 0) await addRelations(parts, part.name, pictures)
    for (const picture of pictures) all.add(picture)
  }
  const types = "[Content_Types].xml"
  parts.file(types, withPictureTypes((await parts.file(types)?.async("text")) ?? ""))
  return all
}

/** Puts the photos into the package. They are opened only when the writer has come to them. */
const addPhotos = fn("DocxRenderer.addPhotos")(function* (
  parts: JSZip,
  photos: ReadonlyArray<DocumentPhoto>,
  openPhoto: OpenPhoto
) {
  const known = new Map(photos.map((photo) => [pictureName(photo), photo]))
  for (const picture of yield* Effect.promise(() => linkAll(parts))) {
    const photo = known.get(picture)
    if (photo === undefined) continue
    const bytes = yield* NodeStream.toReadable(Stream.fromEffect(Effect.suspend(() => openPhoto(photo))))
    parts.file(mediaPath(picture), bytes, { compression: "STORE" })
  }
})

/** The renderer on the docx package, over a template with placeholders: the named one, or the project's own. */
export const patchedDocx = (template: Option.Option<string>) =>
  Layer.succeed(DocxRenderer, {
    render: fn("DocxRenderer.render")(function* (document, openPhoto) {
      const bytes = yield* readTemplate(template)
      const parts = yield* Effect.tryPromise(() => putTogether(bytes, document)).pipe(
        Effect.tapErrorCause((cause) => Effect.logError("the DOCX template cannot be used", cause)),
        Effect.mapError(() => unusable)
      )
      yield* addPhotos(parts, photosIn(document), openPhoto)
      return NodeStream.fromReadable<BrokenOff, Uint8Array>(
        () => parts.generateNodeStream({ compression: "DEFLATE", streamFiles: false }),
        (cause) => new BrokenOff({ cause })
      ).pipe(Stream.orDie)
    })
  })

export const PatchedDocx = Layer.unwrapEffect(Effect.map(Settings, ({ docxTemplate }) => patchedDocx(docxTemplate)))
