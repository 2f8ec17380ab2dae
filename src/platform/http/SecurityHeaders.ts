import { Headers, HttpServerResponse } from "@effect/platform"

const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
}

const unlessSet = {
  "cache-control": "private, no-cache",
  "cross-origin-resource-policy": "same-site",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

/** What the docs page needs: its own inline script and style, and this server. */
const docsPolicy =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

export const withSecurityHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  options: { readonly requestId: string; readonly path: string; readonly https: boolean }
) =>
  HttpServerResponse.setHeaders(
    response,
    Headers.fromInput({
      ...unlessSet,
      ...(/^\/docs(?:[/?]|$)/.test(options.path) && { "content-security-policy": docsPolicy }),
      ...(options.path.startsWith("/api/auth/") && { "cache-control": "no-store" }),
      ...response.headers,
      ...always,
      ...(options.https && { "strict-transport-security": "max-age=31536000" }),
      "x-request-id": options.requestId
    })
  )
