import {
  FileSystem,
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Option, type Scope } from "effect"
import { BadRequest, TooManyRequests } from "../../../schema/Errors.ts"
import { Settings } from "../Settings.ts"
import { Stopping } from "../Stopping.ts"
import { makeRequestTelemetry } from "../telemetry/RequestTelemetry.ts"
import { logAccess } from "./AccessLog.ts"
import { bindRequest } from "./BoundRequest.ts"
import { addressOf } from "./ClientAddress.ts"
import { makeIfMatch, withETag } from "./ConditionalRequests.ts"
import { makeCors } from "./Cors.ts"
import { answerCause } from "./ErrorResponse.ts"
import { type KeyOwner, makeIdempotency } from "./Idempotency.ts"
import { makeRateLimit, type Verdict } from "./RateLimit.ts"
import { RequestId, requestIdOf } from "./RequestId.ts"
import { type App, isForOperators, isReadable, onlyForOperators, plainUrl, type Route, type Routes } from "./Routes.ts"
import { makeSecurityHeaders } from "./SecurityHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

const lacksHost = (request: Request) =>
  request.headers["host"] === undefined && NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

/** What is known of a request before anything happens. */
interface Asked {
  readonly url: string
  readonly requestId: string
  readonly route: Route | undefined
}

/** Who asks, as far as the conventions need to know. */
export interface KnownCaller extends KeyOwner {
  /** The same for all tokens of one representative or phone channel. */
  readonly name: string
}

/** What every route does alike, from the socket to the handler and back. Read it from the bottom up. */
export const makeConventions = (
  allRoutes: Routes,
  callerOf: (request: Request) => Effect.Effect<Option.Option<KnownCaller>>
) =>
  Effect.gen(function* () {
    const { baseUrl, corsOrigins, rateLimits, role, trustProxy } = yield* Settings
    const stopping = yield* Stopping
    const routes = role === "worker" ? onlyForOperators(allRoutes) : allRoutes
    const ifMatch = yield* makeIfMatch(routes)
    const idempotent = yield* makeIdempotency
    const cors = makeCors(corsOrigins)
    const withSecurityHeaders = makeSecurityHeaders(baseUrl.startsWith("https:"))
    const telemetry = yield* makeRequestTelemetry
    const isLimited = Option.isSome(rateLimits.caller) || Option.isSome(rateLimits.address)
    const rateLimit = makeRateLimit(rateLimits)

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

    const bound = (app: App, request: Request, { requestId, route, url }: Asked): App => {
      if (!isReadable(url)) {
        return BadRequest.of("The path has a % that does not begin an encoded character. Write %25.")
      }
      if (lacksHost(request)) return BadRequest.of("Send a Host header.")
      if (route === undefined) {
        const methods = routes.allowed(url)
        return cors.isPreflight(request) && methods.length > 0
          ? Effect.succeed(cors.answerPreflight(methods))
          : Effect.fail(new HttpServerError.RouteNotFound({ request }))
      }
      const boundRequest = bindRequest(request, route, url)
      const known = Context.make(HttpServerRequest.HttpServerRequest, boundRequest).pipe(
        Context.add(RequestId, requestId)
      )
      const forms =
        route.takes === "multipart"
          ? Context.add(known, HttpIncomingMessage.MaxBodySize, Option.some(FileSystem.Size(route.largestForm)))
          : known
      return Effect.mapInputContext(
        ofRoute(app, route, boundRequest),
        (context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) => Context.merge(context, forms)
      )
    }

    /** Counts the request and answers it, or says when to come back. */
    const withinLimits = (app: App, request: Request, onCount: (verdict: Verdict) => void): App =>
      callerOf(request).pipe(
        Effect.flatMap((caller) =>
          rateLimit({ caller: Option.map(caller, ({ name }) => name), address: addressOf(request, trustProxy) })
        ),
        Effect.flatMap((verdict) => {
          onCount(verdict)
          if (verdict.isAllowed) return app
          const seconds = verdict.retryAfterSeconds
          return TooManyRequests.after(seconds, `Too many requests. Try again in ${seconds} s.`)
        })
      )

    const failed = (cause: Cause.Cause<unknown>, { method }: Request, { requestId, url }: Asked) => {
      const { response, unexpected } = answerCause(cause, { method, url, requestId, routes })
      return unexpected
        ? Effect.as(Effect.logError("unexpected failure", cause).pipe(Effect.annotateLogs({ requestId })), response)
        : Effect.succeed(response)
    }

    const handle = (app: App, request: Request) => {
      const started = performance.now()
      const url = plainUrl(request.url)
      const asked: Asked = { url, requestId: requestIdOf(request), route: routes.find(request.method, url) }
      const { requestId, route } = asked
      const observed = { request, route, requestId }
      telemetry.began()
      const ended = (status: number) => {
        const durationMs = performance.now() - started
        const address = addressOf(request, trustProxy)
        return Effect.zipRight(
          logAccess(request, { route, status, requestId, durationMs, address }),
          telemetry.ended(observed, status, durationMs)
        )
      }
      let limits: Verdict["headers"] = {}
      const finished = (response: HttpServerResponse.HttpServerResponse) => {
        const answer = withSecurityHeaders(cors.withCors(response, request, route), {
          requestId,
          limits,
          path: url.toLowerCase(),
          lastOnConnection: stopping.hasBegun()
        })
        return Effect.as(ended(answer.status), answer)
      }
      const answer = Effect.suspend(() => bound(app, request, asked))
      const counted =
        isLimited && !isForOperators(url)
          ? withinLimits(answer, request, ({ headers }) => {
              limits = headers
            })
          : answer
      return Effect.matchCauseEffect(counted, {
        onSuccess: finished,
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? // The caller went away: nobody reads an answer, the log says so.
              Effect.zipRight(ended(499), Effect.interrupt)
            : Effect.flatMap(failed(cause, request, asked), finished)
      }).pipe(telemetry.inSpan(observed))
    }

    return (app: App) => Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => handle(app, request))
  })
