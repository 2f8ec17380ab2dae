import {
  FileSystem,
  HttpIncomingMessage,
  HttpMiddleware,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import { Cause, Clock, Effect, Option } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import { Settings } from "../Settings.ts"
import { logAccess } from "./AccessLog.ts"
import { bindRequest, largestJson } from "./BoundRequest.ts"
import { addressOf } from "./ClientAddress.ts"
import { makeIfMatch, withETag } from "./ConditionalRequests.ts"
import { answerCause } from "./ErrorResponse.ts"
import { makeIdempotency } from "./Idempotency.ts"
import { RequestId, requestIdOf } from "./RequestId.ts"
import { type App, type Route, type Routes, withoutAlias } from "./Routes.ts"
import { withSecurityHeaders } from "./SecurityHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What every route does alike, from the socket to the handler and back. Read it from the bottom up. */
export const makeConventions = (
  routes: Routes,
  customerOf: (request: Request) => Effect.Effect<Option.Option<CustomerID>>
) =>
  Effect.gen(function* () {
    const { baseUrl, corsOrigins, trustProxy } = yield* Settings
    const ifMatch = yield* makeIfMatch(routes)
    const idempotent = yield* makeIdempotency

    const ofRoute = (app: App, route: Route, request: Request): App => {
      if (!route.needsToken) return app
      const match = request.headers["if-match"]
      const key = request.headers["idempotency-key"]
      switch (route.method) {
        case "GET":
          return route.singleResource ? withETag(app, request) : app
        case "PUT":
        case "DELETE":
          return match === undefined ? app : ifMatch(app, request, match)
        case "POST":
          return key === undefined
            ? app
            : Effect.flatMap(customerOf(request), (customerID) =>
                // Without a customer the app itself says 401, before anything else is looked at.
                Option.isNone(customerID) ? app : idempotent(app, request, customerID.value, key)
              )
        default:
          return app
      }
    }

    const bound = (app: App, request: Request): App => {
      const url = withoutAlias(request.url)
      const route = routes.find(request.method, url)
      if (route === undefined) return Effect.fail(new HttpServerError.RouteNotFound({ request }))
      const boundRequest = bindRequest(request, route, url)
      return ofRoute(app, route, boundRequest).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, boundRequest),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, Option.some(FileSystem.Size(largestJson)))
      )
    }

    const answered = (app: App, request: Request, requestId: string) =>
      Effect.catchAllCause(app, (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
        const { method } = request
        const { response, unexpected } = answerCause(cause, {
          method,
          url: withoutAlias(request.url),
          requestId,
          routes
        })
        return unexpected
          ? Effect.as(Effect.logError("unexpected failure", cause).pipe(Effect.annotateLogs({ requestId })), response)
          : Effect.succeed(response)
      })

    const handle = (app: App, request: Request) =>
      Effect.gen(function* () {
        const started = yield* Clock.currentTimeNanos
        const requestId = requestIdOf(request)
        const log = (status: number) =>
          Effect.flatMap(Clock.currentTimeNanos, (now) =>
            logAccess(request, {
              status,
              requestId,
              durationMs: Number(now - started) / 1e6,
              address: addressOf(request, trustProxy)
            })
          )
        return yield* answered(bound(app, request), request, requestId).pipe(
          Effect.provideService(RequestId, requestId),
          Effect.map((response) =>
            withSecurityHeaders(response, {
              requestId,
              path: request.url,
              https: baseUrl.startsWith("https:")
            })
          ),
          Effect.tap((response: HttpServerResponse.HttpServerResponse) => log(response.status)),
          // The caller went away: nobody reads an answer, the log says so.
          Effect.onInterrupt(() => log(499))
        )
      })

    const cors = HttpMiddleware.cors({
      allowedOrigins: corsOrigins,
      allowedMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
      allowedHeaders: ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "x-request-id"],
      exposedHeaders: ["etag", "location", "retry-after", "x-request-id", "idempotency-replayed"],
      maxAge: 600
    })

    return (app: App) => {
      const handled = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => handle(app, request))
      return corsOrigins.length === 0 ? handled : cors(handled)
    }
  })
