import { Headers, type HttpServerRequest, HttpServerResponse } from "@effect/platform"

import type { Route } from "./Routes.ts"

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

/**
 * What pages of the configured origins may do. Without any, no answer mentions it, but for the routes that a chat
 * window calls from whatever site it is on.
 */
export const makeCors = (configured: ReadonlyArray<string>) => {
  const origins = configured.map((origin) => origin.toLowerCase().replace(/\/+$/, ""))
  const everyone = origins.includes("*")
  const mayRead = ({ headers }: Request) =>
    headers["origin"] !== undefined && (everyone || origins.includes(headers["origin"].toLowerCase()))
  return {
    isPreflight: (request: Request) =>
      request.method === "OPTIONS" &&
      request.headers["access-control-request-method"] !== undefined &&
      mayRead(request),

    answerPreflight: (methods: ReadonlyArray<string>) =>
      HttpServerResponse.empty({
        status: 204,
        headers: {
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": allowedHeaders,
          "access-control-max-age": "600"
        }
      }),

    withCors: (
      response: HttpServerResponse.HttpServerResponse,
      request: Request,
      route: Pick<Route, "openToEveryOrigin"> | undefined
    ) =>
      origins.length === 0
        ? route?.openToEveryOrigin === true
          ? HttpServerResponse.setHeader(response, "access-control-allow-origin", "*")
          : response
        : HttpServerResponse.setHeaders(
            response,
            Headers.fromInput({
              ...(!everyone && {
                vary: response.headers["vary"] === undefined ? "Origin" : `${response.headers["vary"]}, Origin`
              }),
              ...(route?.openToEveryOrigin === true && { "access-control-allow-origin": "*" }),
              ...(mayRead(request) && {
                "access-control-allow-origin": everyone ? "*" : request.headers["origin"],
                "access-control-expose-headers": exposedHeaders
              }),
              ...(mayRead(request) && !everyone && { "access-control-allow-credentials": "true" })
            })
          )
  }
}
