import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { RangeNotSatisfiable } from "../../schema/Errors.ts"
import { listsETag } from "../platform/http/ConditionalRequests.ts"
import { wantedRange } from "./ByteRanges.ts"
import { dispositionOf } from "./Disposition.ts"
import type { OpenFile } from "./Files.ts"

/** What a browser may show by itself. Everything that can hold a script is saved instead. */
const inline = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "application/pdf", "text/plain"])

const headersOf = ({ contentType, etag, fileName }: OpenFile) => ({
  etag,
  "accept-ranges": "bytes",
  "cache-control": "private, max-age=3600",
  "content-disposition": dispositionOf(fileName, inline.has(contentType) ? "inline" : "attachment"),
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  // A chat on the customer's own website shows pictures too.
  "cross-origin-resource-policy": "cross-origin"
})

const typeOf = ({ contentType }: OpenFile) =>
  contentType.startsWith("text/") ? `${contentType}; charset=utf-8` : contentType

interface Conditions {
  readonly range?: string
  readonly "if-range"?: string
  readonly "if-none-match"?: string
}

/** A file, or the range of it that was asked for, as it arrives from the store. */
export const answerFile = (
  file: OpenFile,
  conditions: Conditions
): Effect.Effect<HttpServerResponse.HttpServerResponse, RangeNotSatisfiable> => {
  const headers = headersOf(file)
  const known = conditions["if-none-match"]
  if (known !== undefined && listsETag(known, file.etag)) {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
  }
  const ifRange = conditions["if-range"]
  const range = ifRange === undefined || ifRange.trim() === file.etag ? conditions.range : undefined
  const wanted = wantedRange(range, file.size)
  switch (wanted._tag) {
    case "Nothing":
      return RangeNotSatisfiable.of(file.size)
    case "Whole":
      return Effect.succeed(
        HttpServerResponse.stream(file.read(), { headers, contentType: typeOf(file), contentLength: file.size })
      )
    case "Part":
      return Effect.succeed(
        HttpServerResponse.stream(file.read(wanted), {
          status: 206,
          headers: { ...headers, "content-range": `bytes ${wanted.start}-${wanted.end}/${file.size}` },
          contentType: typeOf(file),
          contentLength: wanted.end - wanted.start + 1
        })
      )
  }
}
