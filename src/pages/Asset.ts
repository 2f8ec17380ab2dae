import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { lazily } from "../platform/caching/Lazily.ts"
import { listsETag } from "../platform/http/ConditionalRequests.ts"
import { projectFile } from "../platform/ProjectFile.ts"

/** A file for browsers, as text and in the encodings that browsers accept. */
export interface Asset {
  readonly text: string
  readonly etag: string
  readonly encoded: ReadonlyArray<readonly [encoding: string, body: () => Uint8Array]>
}

export const assetOf = (text: string): Asset => ({
  text,
  etag: createHash("sha256").update(text).digest("base64url").slice(0, 27),
  encoded: [
    ["br", lazily(() => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }))],
    ["gzip", lazily(() => gzipSync(text))]
  ]
})

/** Reads a file that the build made. Without it the service is incomplete, so it does not start. */
export const readAsset = (name: string) =>
  Effect.promise(() => readFile(projectFile(join("dist", "pages", name)), "utf8")).pipe(Effect.map(assetOf))

const takes = (accepted: string, encoding: string) =>
  accepted.split(",").some((offer) => {
    const [name = "", ...parameters] = offer.split(";").map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

/** Responds with the file, or with 304 if the browser has it already. */
export const serveAsset = ({ encoded, etag, text }: Asset, headers: Readonly<Record<string, string>>) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const chosen = encoded.find(([encoding]) => takes(request.headers["accept-encoding"] ?? "", encoding))
    const tag = `"${etag}${chosen === undefined ? "" : `-${chosen[0]}`}"`
    const all = { ...headers, etag: tag, vary: "Accept-Encoding" }
    const known = request.headers["if-none-match"]
    if (known !== undefined && listsETag(known, tag)) return HttpServerResponse.empty({ status: 304, headers: all })
    const contentType = headers["content-type"]
    const options = contentType === undefined ? {} : { contentType }
    return chosen === undefined
      ? HttpServerResponse.text(text, { headers: all, ...options })
      : HttpServerResponse.uint8Array(chosen[1](), { headers: { ...all, "content-encoding": chosen[0] }, ...options })
  })
