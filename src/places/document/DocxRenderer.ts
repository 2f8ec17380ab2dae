import { Context, type Effect, type Stream } from "effect"
import type { InternalServerError } from "../../../schema/Errors.ts"
import type { DocumentPhoto, ReportDocument } from "./ReportDocument.ts"

/** Reads the bytes of a photo when its turn has come. */
export type OpenPhoto = (photo: DocumentPhoto) => Effect.Effect<Uint8Array>

/** Writes a Word document. Its bytes are streamed as they are made, with one photo in memory at a time. */
export class DocxRenderer extends Context.Tag("casework/DocxRenderer")<
  DocxRenderer,
  {
    readonly render: (
      document: ReportDocument,
      openPhoto: OpenPhoto
    ) => Effect.Effect<Stream.Stream<Uint8Array>, InternalServerError>
  }
>() {}
