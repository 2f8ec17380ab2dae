import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { plainUrl, type Route } from "./Routes.ts"

const longest = 1000

const isSecret = (name: string) => /token|secret|password|key/i.test(name)

const guid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi

/** The route says which parts of its path are credentials; without a route any GUID may be one. */
const pathWithoutSecrets = (path: string, route: Route | undefined) => {
  if (route === undefined) return path.replace(guid, "redacted")
  const pattern = route.path.split("/")
  return path
    .split("/")
    .map((part, at) => (/^:.*token/i.test(pattern[at] ?? "") ? "redacted" : part))
    .join("/")
}

/** A URL without what must not be logged. */
export const withoutSecrets = (url: string, route?: Route) => {
  const [path = "", query] = plainUrl(url).split(/[?#;](.*)/s)
  const safePath = pathWithoutSecrets(path, route)
  if (query === undefined) return safePath.slice(0, longest)
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => `${encodeURIComponent(name)}=${isSecret(name) ? "redacted" : encodeURIComponent(value)}`
  )
  return `${safePath}?${parameters.join("&")}`.slice(0, longest)
}

export const logAccess = (
  request: HttpServerRequest.HttpServerRequest,
  answer: {
    readonly route: Route | undefined
    readonly status: number
    readonly requestId: string
    readonly durationMs: number
    readonly address: string
  }
) =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      requestId: answer.requestId,
      method: request.method,
      url: withoutSecrets(request.originalUrl, answer.route),
      status: answer.status,
      durationMs: Math.round(answer.durationMs * 10) / 10,
      address: answer.address
    })
  )
