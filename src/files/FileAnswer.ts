import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Chunk, Effect, Option, type Scope, Stream } from "effect"
import { RangeNotSatisfiable } from "../../schema/Errors.ts"
import { listsETag } from "../platform/http/ConditionalRequests.ts"
import { FileBody } from "../platform/http/SendResponse.ts"
import { type ByteRange, largestPiece } from "./BlobStore.ts"
import { wantedRange } from "./ByteRanges.ts"
import { dispositionOf } from "./Disposition.ts"
import type { OpenFile } from "./OpenFile.ts"
import { isUtf8 } from "./TextContent.ts"

/** Types that a browser may show by itself. Anything that can hold a script is saved instead. */
const inline = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "application/pdf", "text/plain"])

const headersOf = ({ contentType, etag, fileName }: OpenFile) => ({
  etag,
  "accept-ranges": "bytes",
  "cache-control": "private, max-age=3600",
  "content-disposition": dispositionOf(fileName, inline.has(contentType) ? "inline" : "attachment"),
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  // The chat on a customer's own website shows pictures too.
  "cross-origin-resource-policy": "cross-origin"
})

/** The same file, with its first bytes already read. */
const havingRead = (file: OpenFile, head: Uint8Array): OpenFile => ({
  ...file,
  readPiece: (range) =>
    range.end < head.length ? Effect.succeed(head.subarray(range.start, range.end + 1)) : file.readPiece(range)
})

/**
 * The content type to send. A text names UTF-8 only if its first piece is UTF-8: under a wrong encoding it would be
 * garbled, and without one the browser detects it.
 */
const typed = (file: OpenFile) => {
  const { contentType, size } = file
  if (!contentType.startsWith("text/")) return Effect.succeed({ file, contentType })
  const end = Math.min(size, largestPiece) - 1
  return Effect.map(end < 0 ? Effect.succeed(new Uint8Array()) : file.readPiece({ start: 0, end }), (head) => ({
    file: havingRead(file, head),
    contentType: isUtf8(head, head.length === size) ? `${contentType}; charset=utf-8` : contentType
  }))
}

interface Conditions {
  readonly range?: string
  readonly "if-range"?: string
  readonly "if-none-match"?: string
}

/** The same bytes, with the first of them already read. */
const begun = (bytes: Stream.Stream<Uint8Array>) =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(bytes)
    const first = yield* Effect.orElseSucceed(pull, () => Chunk.empty<Uint8Array>())
    return Stream.concat(Stream.fromChunk(first), Stream.repeatEffectChunkOption(pull))
  })

/**
 * Responds with the bytes of a range in one piece, or as a stream from the store if there are more. Files opened here
 * are closed with the request. A response under way can no longer report that the bytes are missing.
 */
const answerRange = (
  file: OpenFile,
  range: ByteRange,
  answer: HttpServerResponse.Options.WithContentType
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const contentLength = range.end - range.start + 1
  if (contentLength === 0) return Effect.succeed(HttpServerResponse.uint8Array(new Uint8Array(), answer))
  if (contentLength <= largestPiece) {
    return Effect.flatMap(file.readPiece(range), (bytes) =>
      bytes.length === contentLength
        ? Effect.succeed(HttpServerResponse.uint8Array(bytes, answer))
        : Effect.dieMessage(`A file has only ${bytes.length} of ${contentLength} bytes`)
    )
  }
  const sized = { ...answer, contentLength }
  return Option.match(file.openAt(range), {
    onNone: () => Effect.map(begun(file.read(range)), (bytes) => HttpServerResponse.stream(bytes, sized)),
    onSome: Effect.map((readInto) => HttpServerResponse.raw(new FileBody(readInto, contentLength), sized))
  })
}

const answerTyped = (found: OpenFile, range: ByteRange, answer: HttpServerResponse.Options) =>
  Effect.flatMap(typed(found), ({ contentType, file }) => answerRange(file, range, { ...answer, contentType }))

/** Responds with a file, or with the requested range of it. */
export const answerFile = (
  file: OpenFile,
  conditions: Conditions,
  { method }: Pick<HttpServerRequest.HttpServerRequest, "method">
): Effect.Effect<HttpServerResponse.HttpServerResponse, RangeNotSatisfiable, Scope.Scope> => {
  const headers = headersOf(file)
  const known = conditions["if-none-match"]
  if (known !== undefined && listsETag(known, file.etag)) {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
  }
  const ifRange = conditions["if-range"]
  const isForRange = method !== "HEAD" && (ifRange === undefined || ifRange.trim() === file.etag)
  // HEAD has no body, so a Range means nothing there.
  const range = isForRange ? conditions.range : undefined
  const wanted = wantedRange(range, file.size)
  switch (wanted._tag) {
    case "Nothing":
      return RangeNotSatisfiable.of(file.size)
    case "Whole":
      return answerTyped(file, { start: 0, end: file.size - 1 }, { headers })
    case "Part":
      return answerTyped(file, wanted, {
        status: 206,
        headers: { ...headers, "content-range": `bytes ${wanted.start}-${wanted.end}/${file.size}` }
      })
  }
}
