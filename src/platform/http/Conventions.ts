import {
  FileSystem,
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, Option } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import { Settings } from "../Settings.ts"
import { logAccess } from "./AccessLog.ts"
import { bindRequest } from "./BoundRequest.ts"
import { addressOf } from "./ClientAddress.ts"
import { makeIfMatch, withETag } from "./ConditionalRequests.ts"
import { makeCors } from "./Cors.ts"
import { answerCause } from "./ErrorResponse.ts"
import { type KeyOwner, makeIdempotency } from "./Idempotency.ts"
import { RequestId, requestIdOf } from "./RequestId.ts"
import { type App, isReadable, plainUrl, type Route, type Routes } from "./Routes.ts"
import { withSecurityHeaders } from "./SecurityHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

const lacksHost = (request: Request) =>
  request.headers["host"] === undefined && NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

/** What every route does alike, from the socket to the handler and back. Read it from the bottom up. */
export const makeConventions = (
  routes: Routes,
  callerOf: (request: Request) => Effect.Effect<Option.Option<KeyOwner>>
) =>
  Effect.gen(function* () {
    const { baseUrl, corsOrigins, trustProxy } = yield* Settings
    const ifMatch = yield* makeIfMatch(routes)
    const idempotent = yield* makeIdempotency
    const cors = makeCors(corsOrigins)

    const ofRoute = (app: App, route: Route, request: Request): App => {
      if (!route.needsToken) return app
      // Without a caller the app itself says 401, before anything else is looked at.
      const forCaller = (run: (caller: KeyOwner) => App) =>
        Effect.flatMap(callerOf(request), Option.match({ onNone: () => app, onSome: run }))
      const match = request.headers["if-match"]
      const key = request.headers["idempotency-key"]
      switch (route.method) {
        case "GET":
          // What a query shapes is a view; only the plain resource has an ETag that a change can be tied to.
          return route.singleResource && !request.url.includes("?") ? withETag(app, request) : app
        case "PUT":
        case "DELETE":
          return match === undefined ? app : forCaller(() => ifMatch(app, route, request, match))
        case "POST":
          return key === undefined || route.ignoresIdempotencyKey
            ? app
            : forCaller((caller) => idempotent(app, request, caller, key))
        default:
          return app
      }
    }

    const bound = (app: App, request: Request, url: string): App => {
      if (!isReadable(url)) {
        return BadRequest.of("The path has a % that does not begin an encoded character. Write %25.")
      }
      if (lacksHost(request)) return BadRequest.of("Send a Host header.")
      const route = routes.find(request.method, url)
      if (route === undefined) {
        const methods = routes.allowed(url)
        return cors.isPreflight(request) && methods.length > 0
          ? Effect.succeed(cors.answerPreflight(methods))
          : Effect.fail(new HttpServerError.RouteNotFound({ request }))
      }
      const boundRequest = bindRequest(request, route, url)
      return ofRoute(app, route, boundRequest).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, boundRequest),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, Option.some(FileSystem.Size(route.largestForm)))
      )
    }

    const answered = (app: App, request: Request, url: string, requestId: string) =>
      Effect.catchAllCause(app, (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
        const { method } = request
        const { response, unexpected } = answerCause(cause, { method, url, requestId, routes })
        return unexpected
          ? Effect.as(Effect.logError("unexpected failure", cause).pipe(Effect.annotateLogs({ requestId })), response)
          : Effect.succeed(response)
      })

    const handle = (app: App, request: Request) =>
      Effect.gen(function* () {
        const started = yield* Clock.currentTimeNanos
        const requestId = requestIdOf(request)
        const url = plainUrl(request.url)
        const log = (status: number) =>
          Effect.flatMap(Clock.currentTimeNanos, (now) =>
            logAccess(request, {
              route: routes.find(request.method, url),
              status,
              requestId,
              durationMs: Number(now - started) / 1e6,
              address: addressOf(request, trustProxy)
            })
          )
        const answer = Effect.suspend(() => bound(app, request, url))
        return yield* answered(answer, request, url, requestId).pipe(
          Effect.provideService(RequestId, requestId),
          Effect.map((response) =>
            withSecurityHeaders(cors.withCors(response, request), {
              requestId,
              path: url.toLowerCase(),
              https: baseUrl.startsWith("https:")
            })
          ),
          Effect.tap((response: HttpServerResponse.HttpServerResponse) => log(response.status)),
          // The caller went away: nobody reads an answer, the log says so.
          Effect.onInterrupt(() => log(499))
        )
      })

    return (app: App) => Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => handle(app, request))
  })
