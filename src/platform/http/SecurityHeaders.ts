import type { HttpServerResponse } from "@effect/platform"

/** The headers of every response, whatever its handler set. */
const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
}

interface Defaults {
  readonly caching: string
  readonly policy: string
}

const usual: Defaults = { caching: "private, no-cache", policy: "default-src 'none'; frame-ancestors 'none'" }
const ofSecrets: Defaults = { ...usual, caching: "no-store" }

/** What the docs page needs: its own inline script and style, and this server. */
const ofDocs: Defaults = {
  ...usual,
  policy:
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
}

const defaultsFor = (path: string) =>
  /^\/api\/(?:auth\/|customers\/my-secrets)/.test(path) ? ofSecrets : /^\/docs(?:[/?]|$)/.test(path) ? ofDocs : usual

export type ResponseHeaders = Record<string, string | undefined>

/** Builds the headers of a response. It fills one object, since a copy for each part takes ten times as long. */
export const makeSecurityHeaders =
  (https: boolean) =>
  (
    response: HttpServerResponse.HttpServerResponse,
    options: {
      readonly requestId: string
      readonly path: string
      readonly limits: Readonly<Record<string, string>>
      /** The caller's next request should open a new connection, perhaps to another node. */
      readonly lastOnConnection: boolean
    }
  ): ResponseHeaders => {
    const { caching, policy } = defaultsFor(options.path)
    const headers: ResponseHeaders = {
      "cache-control": caching,
      "cross-origin-resource-policy": "same-site",
      "content-security-policy": policy
    }
    Object.assign(headers, response.headers, options.limits, always)
    headers["x-request-id"] = options.requestId
    if (https) headers["strict-transport-security"] = "max-age=31536000"
    if (options.lastOnConnection) headers["connection"] = "close"
    return headers
  }
