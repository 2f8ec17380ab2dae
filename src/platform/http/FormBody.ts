import { FileSystem, Multipart } from "@effect/platform"
import { Effect, Stream } from "effect"
import type { FormEvent } from "./FormEvents.ts"
import { streamParts } from "./FormStream.ts"
import type { NodeRequest } from "./NodeRequest.ts"

const boundaryOf = (contentType: string) => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  return quoted ?? plain ?? ""
}

export const isForm = (contentType: string) =>
  /^\s*multipart\/form-data\s*;/i.test(contentType) && boundaryOf(contentType) !== ""

/** Writes a file of a form. A broken form stays the caller's error; the library would report it as an internal one. */
const writeFile = (path: string, { content }: Multipart.File) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => Stream.run(content, files.sink(path))).pipe(
    Effect.mapError((error) =>
      error._tag === "MultipartError" ? error : new Multipart.MultipartError({ reason: "InternalError", cause: error })
    )
  )

/** Reads a form part by part as it arrives, or with its files kept on disk for the duration of the request. */
export const formParts = (request: NodeRequest, largest: number, see?: (event: FormEvent) => void) => {
  const multipartStream = streamParts(request.source, request.headers["content-type"] ?? "", largest, see)
  return { multipart: Multipart.toPersisted(multipartStream, writeFile), multipartStream }
}
