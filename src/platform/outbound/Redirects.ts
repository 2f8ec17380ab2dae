import { HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Effect } from "effect"
import { CallFailed, hostOf } from "./CallErrors.ts"

const mostRedirects = 5

const redirectStatuses = new Set([301, 302, 303, 307, 308])

const portOf = (url: URL) => url.port || (url.protocol === "https:" ? "443" : "80")

/**
 * Whether a redirect stays on the same host and port, and never goes from https to http: credentials may then go along.
 */
const staysHome = (from: URL, to: URL) =>
  /^https?:$/.test(to.protocol) &&
  from.hostname === to.hostname &&
  portOf(from) === portOf(to) &&
  (from.protocol === "http:" || to.protocol === "https:") &&
  to.username === "" &&
  to.password === ""

const bodyHeaders = new Set(["content-type", "content-length"])

/** The request that a redirect asks for: as with browsers, only 307 and 308 repeat the method and the body. */
const redirected = (request: HttpClientRequest.HttpClientRequest, status: number, target: URL) =>
  status === 307 || status === 308 || request.method === "GET"
    ? HttpClientRequest.setUrl(request, target.href)
    : HttpClientRequest.get(target.href, {
        headers: Object.entries(request.headers).filter(([name]) => !bodyHeaders.has(name))
      })

/** The target of a response, if it is a redirect. */
const targetOf = (response: HttpClientResponse.HttpClientResponse, from: URL) => {
  const location = response.headers["location"]
  return redirectStatuses.has(response.status) && location !== undefined && URL.canParse(location, from.href)
    ? new URL(location, from)
    : undefined
}

/** Sends a request and follows its redirects as long as they stay on the same host and port. */
export const followRedirects = <E, R>(
  execute: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<HttpClientResponse.HttpClientResponse, E, R>,
  request: HttpClientRequest.HttpClientRequest,
  left = mostRedirects
): Effect.Effect<HttpClientResponse.HttpClientResponse, E | CallFailed, R> =>
  Effect.flatMap(execute(request), (response) => {
    const from = new URL(request.url)
    const target = targetOf(response, from)
    if (target === undefined) return Effect.succeed(response)
    if (!staysHome(from, target)) {
      const message = `${hostOf(request)} redirects to another host, port or protocol, which is not followed.`
      return Effect.fail(new CallFailed({ message }))
    }
    return left === 0
      ? Effect.fail(new CallFailed({ message: `${hostOf(request)} redirects more than ${mostRedirects} times.` }))
      : followRedirects(execute, redirected(request, response.status, target), left - 1)
  })
