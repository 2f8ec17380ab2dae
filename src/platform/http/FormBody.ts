import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import { Effect } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import { streamParts } from "./FormStream.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { readBody } from "./RequestBody.ts"

const boundaryOf = (contentType: string) => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  return quoted ?? plain ?? ""
}

export const isForm = (contentType: string) =>
  /^\s*multipart\/form-data\s*;/i.test(contentType) && boundaryOf(contentType) !== ""

/** Piece by piece, as from a socket: the parser forgets a problem that it meets in one go with the end. */
async function* piecesOf(form: Buffer) {
  for (let at = 0; at < form.length; at += 65_536) {
    yield form.subarray(at, at + 65_536)
    await setImmediate()
  }
}

/**
 * A form. Where its files are kept on the disk, it is read whole before it is taken apart: the parser for that never ends
 * when a form breaks off, and answers one that is too large with a cut connection.
 */
export const formParts = (request: NodeRequest, largest: number) => {
  const { source } = request
  const boundary = boundaryOf(request.headers["content-type"] ?? "")
  const bytes = Effect.runSync(
    Effect.cached(
      Effect.suspend(() => readBody(source, largest)).pipe(
        Effect.filterOrFail(
          (form) => form.includes(`--${boundary}--`),
          () => new BadRequest({ message: "The form is empty or ends before its last boundary. Send it whole." })
        ),
        Effect.orDie
      )
    )
  )
  return {
    multipart: Effect.flatMap(bytes, (form) => NodeMultipart.persisted(Readable.from(piecesOf(form)), source.headers)),
    multipartStream: streamParts(source, request.headers["content-type"] ?? "", largest),
    // A second try has another boundary and the same form.
    text: Effect.map(bytes, (form) => form.toString("latin1").replaceAll(boundary, ""))
  }
}
