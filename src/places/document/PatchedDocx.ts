import * as NodeStream from "@effect/platform-node/NodeStream"
import { patchDocument } from "docx"
import { Data, Effect, Layer, type Option, Stream } from "effect"
import JSZip from "jszip"
import { InternalServerError } from "../../../schema/Errors.ts"
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

/** The writer failed in the middle of the document, when the answer was under way already. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly cause: unknown }> {}

/** The whole document but for its photos, and the names of these. */
const putTogether = async (template: Uint8Array, document: ReportDocument, signal: AbortSignal) => {
  const numbers = makeListNumbers(await freeListNumber(await JSZip.loadAsync(template)))
  const { later, patches } = documentContent(document, numbers)
  const parts = await JSZip.loadAsync(await patchDocument({ outputType: "uint8array", data: template, patches }))
  const pictures = await fillPlaceholders(parts, later, signal)
  await addLists(parts, numbers, signal)
  const types = "[Content_Types].xml"
  parts.file(types, withPictureTypes((await parts.file(types)?.async("text")) ?? ""))
  return { parts, pictures }
}

const photosIn = ({ hero, rooms }: ReportDocument): ReadonlyArray<DocumentPhoto> => [
  ...(hero === undefined ? [] : [hero]),
  ...rooms.flatMap((room) => room.photos.map(({ photo }) => photo))
]

/** Puts the photos into the package. They are opened only when the writer has come to them. */
const addPhotos = fn("DocxRenderer.addPhotos")(function* (
  parts: JSZip,
  pictures: ReadonlySet<string>,
  photos: ReadonlyArray<DocumentPhoto>,
  openPhoto: OpenPhoto
) {
  const known = new Map(photos.map((photo) => [pictureName(photo), photo]))
  for (const picture of pictures) {
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
      const { parts, pictures } = yield* Effect.tryPromise((signal) => putTogether(bytes, document, signal)).pipe(
        Effect.tapErrorCause((cause) => Effect.logError("the DOCX template cannot be used", cause)),
        Effect.mapError(() => unusable)
      )
      yield* addPhotos(parts, pictures, photosIn(document), openPhoto)
      return NodeStream.fromReadable<BrokenOff, Uint8Array>(
        () => parts.generateNodeStream({ compression: "DEFLATE", streamFiles: false }),
        (cause) => new BrokenOff({ cause })
      ).pipe(Stream.orDie)
    })
  })

export const PatchedDocx = Layer.unwrapEffect(Effect.map(Settings, ({ docxTemplate }) => patchedDocx(docxTemplate)))
