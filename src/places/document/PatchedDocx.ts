import { Effect, Layer, type Option, Stream } from "effect"
import { InternalServerError } from "../../../schema/Errors.ts"
import { type ZippedFile, zipStream } from "../../files/ZipStream.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { fn } from "../../platform/telemetry/Fn.ts"
import type { PhotoPart } from "./DocxParts.ts"
import { DocxRenderer, type OpenPhoto } from "./DocxRenderer.ts"
import { readTemplate } from "./Template.ts"

const unusable = new InternalServerError({
  message: "The template of the DOCX export is not a Word document. Ask the operator to check DOCX_TEMPLATE."
})

/** The Word writer is large and many nodes never use it, so it is loaded when the first document is written. */
const loadWriter = Effect.promise(() => import("./DocxParts.ts"))

const photoFile =
  (openPhoto: OpenPhoto) =>
  ({ name, photo }: PhotoPart): ZippedFile => ({
    name,
    content: Stream.fromEffect(Effect.suspend(() => openPhoto(photo))),
    options: { compression: "STORE" }
  })

/** Renders with the docx package, from a template with placeholders: the given one, or the project's own. */
export const patchedDocx = (template: Option.Option<string>) =>
  Layer.succeed(DocxRenderer, {
    render: fn("DocxRenderer.render")(function* (document, openPhoto) {
      const bytes = yield* readTemplate(template)
      const { putTogether } = yield* loadWriter
      const { parts, photos } = yield* Effect.tryPromise((signal) => putTogether(bytes, document, signal)).pipe(
        Effect.tapErrorCause((cause) => Effect.logError("the DOCX template cannot be used", cause)),
        Effect.mapError(() => unusable)
      )
      return zipStream(() => parts, photos.map(photoFile(openPhoto)), { streamFiles: false })
    })
  })

export const PatchedDocx = Layer.unwrapEffect(Effect.map(Settings, ({ docxTemplate }) => patchedDocx(docxTemplate)))
