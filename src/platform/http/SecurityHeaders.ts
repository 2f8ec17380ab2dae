import type { HttpServerResponse } from "@effect/platform"

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
const docs = {
  "content-security-policy":
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
}

const unlessSetFor = (path: string): Readonly<Record<string, string>> =>
  path.startsWith("/api/auth/")
    ? { ...unlessSet, "cache-control": "no-store" }
    : /^\/docs(?:[/?]|$)/.test(path)
      ? { ...unlessSet, ...docs }
      : unlessSet

const onlyHttps = { "strict-transport-security": "max-age=31536000" }

/** The same answer with these headers and no others. The library's way to set them copies all of them four times. */
const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string | undefined>>
): HttpServerResponse.HttpServerResponse =>
  Object.assign(Object.create(Object.getPrototypeOf(response)), response, { headers })

export const makeSecurityHeaders = (https: boolean) => {
  const fixed = https ? { ...always, ...onlyHttps } : always
  return (
    response: HttpServerResponse.HttpServerResponse,
    options: {
      readonly requestId: string
      readonly path: string
      readonly limits: Readonly<Record<string, string>>
      /** The caller's next request should open a new connection, perhaps to another node. */
      readonly lastOnConnection: boolean
    }
  ) => {
    const headers: Record<string, string | undefined> = {
      ...unlessSetFor(options.path),
      ...response.headers,
      ...options.limits,
      ...fixed,
      "x-request-id": options.requestId
    }
    if (options.lastOnConnection) headers["connection"] = "close"
    return withHeaders(response, headers)
  }
}
