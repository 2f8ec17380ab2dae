import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { HttpClient, type HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Duration, Effect, Stream } from "effect"
import { wholeUpTo } from "../WholeBytes.ts"
import { type CallBlocked, CallFailed, callError, hostOf } from "./CallErrors.ts"
import { followRedirects } from "./Redirects.ts"
import { retryAfterSeconds } from "./RetryAfter.ts"

export interface CallLimits {
  /** From the lookup of the name to the last byte, redirects included. */
  readonly total: Duration.Duration
  /** Bytes of the body after decompression. */
  readonly largestBody: number
}

export interface BoundedAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
  /** How long the other side asks to wait, when it says so. */
  readonly retryAfterSeconds: number | undefined
}

type Response = HttpClientResponse.HttpClientResponse

const decompressors = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress()
}

export const understoodEncodings = "gzip, deflate, br"

const isUnderstood = (encoding: string): encoding is keyof typeof decompressors =>
  Object.hasOwn(decompressors, encoding)

const hasNoBody = (status: number) => status === 204 || status === 205 || status === 304

const decompressed = (response: Response) => {
  const host = hostOf(response.request)
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase()
  const bytes = Stream.mapError(response.stream, callError)
  if (encoding === "identity" || encoding === "" || hasNoBody(response.status)) return bytes
  if (!isUnderstood(encoding)) {
    return Stream.fail(new CallFailed({ message: `${host} responded in an unsupported encoding.` }))
  }
  return NodeStream.pipeThroughDuplex(
    bytes,
    decompressors[encoding],
    () => new CallFailed({ message: `The response of ${host} could not be decompressed.` })
  )
}

const readBytes = (response: Response, largestBody: number) => {
  const message = `${hostOf(response.request)} returned more than ${largestBody} bytes.`
  return wholeUpTo(largestBody, () => new CallFailed({ message }))(decompressed(response))
}

const decodeText = (bytes: Uint8Array, contentType: string | null) => {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? "")?.[1]
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * Calls an address that a customer chose and reads the whole response as text, within the limits. However the call
 * ends, its connection is given up.
 */
export const boundedCall = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  { largestBody, total }: CallLimits
): Effect.Effect<BoundedAnswer, CallBlocked | CallFailed> =>
  Effect.gen(function* () {
    const scoped = HttpClient.withScope(client)
    const response = yield* followRedirects((hop) => Effect.mapError(scoped.execute(hop), callError), request)
    const contentType = response.headers["content-type"] ?? null
    const bytes = yield* readBytes(response, largestBody)
    return {
      status: response.status,
      contentType,
      body: decodeText(bytes, contentType),
      retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"])
    }
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({
      duration: total,
      onTimeout: () =>
        new CallFailed({ message: `${hostOf(request)} did not respond completely within ${Duration.format(total)}.` })
    })
  )
