import { Headers, type HttpServerRequest, HttpServerResponse } from "@effect/platform"

type Request = HttpServerRequest.HttpServerRequest

const allowedHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "x-request-id",
  // What the browser's hub client adds to its own calls.
  "x-requested-with",
  "x-signalr-user-agent"
].join(", ")

const exposedHeaders = [
  "content-disposition",
  "etag",
  "idempotency-replayed",
  "location",
  "retry-after",
  "x-request-id"
].join(", ")

/** What pages of the configured origins may do. Without any, no answer mentions it. */
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

    withCors: (response: HttpServerResponse.HttpServerResponse, request: Request) =>
      origins.length === 0
        ? response
        : HttpServerResponse.setHeaders(
            response,
            Headers.fromInput({
              ...(!everyone && { vary: "Origin" }),
              ...(mayRead(request) && {
                "access-control-allow-origin": everyone ? "*" : request.headers["origin"],
                "access-control-expose-headers": exposedHeaders
              }),
              ...(mayRead(request) && !everyone && { "access-control-allow-credentials": "true" })
            })
          )
  }
}
