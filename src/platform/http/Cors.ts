import { Headers, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import type { Route, Routes } from "./Routes.ts"

type Request = HttpServerRequest.HttpServerRequest

const allowedHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "range",
  "x-request-id",
  // What the browser's hub client adds to its own calls.
  "x-requested-with",
  "x-signalr-user-agent"
].join(", ")

const exposedHeaders = [
  "accept-ranges",
  "content-disposition",
  "content-range",
  "etag",
  "idempotency-replayed",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "x-request-id"
].join(", ")

type OpenRoute = Pick<Route, "method" | "openToEveryOrigin">

const wantedMethod = ({ headers, method }: Request) =>
  method === "OPTIONS" ? headers["access-control-request-method"] : undefined

/** The route that a browser asks about in a preflight request. */
export const wantedRoute = (routes: Routes, request: Request, url: string) => {
  const method = wantedMethod(request)
  return method === undefined ? undefined : routes.find(method, url)?.route
}

/**
 * CORS for pages of the configured origins. Without any, no response has CORS headers, except on the routes that a chat
 * window calls from whatever site it is on.
 */
export const makeCors = (configured: ReadonlyArray<string>) => {
  const origins = configured.map((origin) => origin.toLowerCase().replace(/\/+$/, ""))
  const everyone = origins.includes("*")
  const mayRead = ({ headers }: Request) =>
    headers["origin"] !== undefined && (everyone || origins.includes(headers["origin"].toLowerCase()))
  return {
    isPreflight: (request: Request, route: OpenRoute | undefined) =>
      wantedMethod(request) !== undefined && (mayRead(request) || route?.openToEveryOrigin === true),

    answerPreflight: (methods: ReadonlyArray<string>) =>
      HttpServerResponse.empty({
        status: 204,
        headers: {
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": allowedHeaders,
          "access-control-max-age": "600"
        }
      }),

    withCors: (response: HttpServerResponse.HttpServerResponse, request: Request, route: OpenRoute | undefined) => {
      const { origin } = request.headers
      const isOpen = route?.openToEveryOrigin === true
      // A hub client sends its requests with credentials, even though none exist here, and browsers then accept no
      // star.
      const isNamed = isOpen && route.method !== "GET" && origin !== undefined
      if (origins.length === 0 && !isOpen) return response
      const isToVary = isNamed || (origins.length > 0 && !everyone)
      return HttpServerResponse.setHeaders(
        response,
        Headers.fromInput({
          ...(isToVary && {
            vary: response.headers["vary"] === undefined ? "Origin" : `${response.headers["vary"]}, Origin`
          }),
          ...(isOpen && { "access-control-allow-origin": isNamed ? origin : "*" }),
          ...(mayRead(request) && {
            "access-control-allow-origin": everyone && !isNamed ? "*" : origin,
            "access-control-expose-headers": exposedHeaders
          }),
          ...((isNamed || (mayRead(request) && !everyone)) && { "access-control-allow-credentials": "true" })
        })
      )
    }
  }
}
