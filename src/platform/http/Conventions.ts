import {
  FileSystem,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import { Cause, Context, Effect, Exit, type Fiber, Option, Runtime } from "effect"
import { BadRequest, TooManyRequests } from "../../../schema/Errors.ts"
import { Stopping } from "../concurrency/Stopping.ts"
import { RequestId } from "../RequestId.ts"
import { Settings } from "../settings/Settings.ts"
import { makeRequestTelemetry, type Observed } from "../telemetry/RequestTelemetry.ts"
import { logAccess } from "./AccessLog.ts"
import { bindForm, bindRequest, isView, plainRead } from "./BoundRequest.ts"
import { addressOf, networkOf } from "./ClientAddress.ts"
import { makeIfMatch, withETag } from "./ConditionalRequests.ts"
import { makeCors, wantedRoute } from "./Cors.ts"
import { answerCause } from "./ErrorResponse.ts"
import type { FormDigest } from "./FormDigest.ts"
import type { Handlers } from "./Handlers.ts"
import { type KeyOwner, makeIdempotency } from "./Idempotency.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { makeRateLimit, type Verdict } from "./RateLimit.ts"
import { requestIdOf } from "./RequestIdOf.ts"
import {
  type App,
  type AppServices,
  type Found,
  isForOperators,
  isReadable,
  onlyForOperators,
  plainUrl,
  type Route,
  type Routes,
  type RunServices
} from "./Routes.ts"
import { makeSecurityHeaders, type ResponseHeaders } from "./SecurityHeaders.ts"

const lacksHost = ({ headers, source }: NodeRequest) => headers["host"] === undefined && source.httpVersion === "1.1"

/** What is known about a request before anything happens. */
interface Asked {
  readonly url: string
  readonly requestId: string
  readonly found: Found | undefined
}

/** The caller, as far as the conventions need to know. */
interface KnownCaller extends KeyOwner {
  /** The same for all tokens of one representative or phone channel. */
  readonly name: string
}

export type CallerOf = (request: NodeRequest) => Effect.Effect<Option.Option<KnownCaller>>

/** A response about to be sent. */
export interface Outgoing {
  readonly response: HttpServerResponse.HttpServerResponse
  /** All headers to send: those of the response, and those that every response has. */
  readonly headers: ResponseHeaders
}

/** A request that is about to be handled. */
export interface Begun {
  readonly app: App
  /** The services that the app needs besides those of the process and a scope. */
  readonly services: ReadonlyMap<string, unknown>
  /** Counts and logs the request, and returns what to send: nothing if the caller is gone. */
  readonly end: (
    exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>,
    fiber: Fiber.RuntimeFiber<unknown, unknown>
  ) => Outgoing | undefined
}

/** The services that the handler of a route needs from a request. */
const servicesOf = (
  request: NodeRequest,
  { params, route, searchParams }: Found,
  handlers: Handlers,
  requestId: string
) => {
  const services = new Map<string, unknown>([
    [HttpServerRequest.HttpServerRequest.key, request],
    [HttpServerRequest.ParsedSearchParams.key, searchParams],
    [HttpRouter.RouteContext.key, handlers.contextOf(route, params)],
    [RequestId.key, requestId]
  ])
  if (route.takes === "multipart") {
    services.set(HttpIncomingMessage.MaxBodySize.key, Option.some(FileSystem.Size(route.largestForm)))
  }
  return services
}

/** Provides an app with the services of its request, so that it needs only those known before the route. */
export const withServices = (app: App, services: ReadonlyMap<string, unknown>) =>
  Effect.mapInputContext(app, (context: Context.Context<RunServices>) =>
    Context.unsafeMake<AppServices>(new Map([...context.unsafeMap, ...services]))
  )

/** How a form is read while a digest observes it; none if the route takes no form. */
const formOf = (route: Route, request: NodeRequest) =>
  route.takes === "multipart"
    ? Option.some((digest: FormDigest) => bindForm(request, route, digest.see))
    : Option.none()

/** What all routes have in common, from the socket to the handler and back. Read it from the bottom up. */
export const makeConventions = (allRoutes: Routes, handlers: Handlers, callerOf: CallerOf) =>
  Effect.gen(function* () {
    const { baseUrl, corsOrigins, rateLimits, role, trustedProxies } = yield* Settings
    const stopping = yield* Stopping
    const routes = role === "worker" ? onlyForOperators(allRoutes) : allRoutes
    const ifMatch = yield* makeIfMatch
    const idempotent = yield* makeIdempotency
    const cors = makeCors(corsOrigins)
    const headersOf = makeSecurityHeaders(baseUrl.startsWith("https:"))
    const telemetry = yield* makeRequestTelemetry
    const fork = Runtime.runFork(yield* Effect.runtime())
    const isLimited = Option.isSome(rateLimits.caller) || Option.isSome(rateLimits.address)
    const rateLimit = makeRateLimit(rateLimits)

    /** The app that reads the resource a change is about, as a GET would; undefined if it is not a single resource. */
    const currentOf = (route: Route, request: NodeRequest, requestId: string) => {
      const read = plainRead(request)
      const found = routes.find("GET", read.url)
      if (found === undefined || !found.route.singleResource || found.route.path !== route.path) return undefined
      const services = servicesOf(read, found, handlers, requestId)
      return withServices(handlers.of(found.route), services)
    }

    const ofRoute = (app: App, route: Route, request: NodeRequest, requestId: string): App => {
      if (!route.needsToken) return app
      // Without a caller the app itself responds with 401, before anything else is checked.
      const forCaller = (run: (caller: KeyOwner) => App) =>
        Effect.flatMap(callerOf(request), Option.match({ onNone: () => app, onSome: run }))
      const match = request.headers["if-match"]
      const key = request.headers["idempotency-key"]
      switch (route.method) {
        case "GET":
          return route.singleResource && !isView(route, request) ? withETag(app, request) : app
        case "PUT":
        case "DELETE":
          return match === undefined
            ? app
            : forCaller(() => ifMatch(app, currentOf(route, request, requestId), route, request, match))
        case "POST":
          return key === undefined || route.ignoresIdempotencyKey
            ? app
            : forCaller((caller) => idempotent(app, request, caller, key, formOf(route, request)))
        default:
          return app
      }
    }

    /** The app that responds to a request, and the services that it needs. */
    const bound = (request: NodeRequest, { found, requestId, url }: Asked): Pick<Begun, "app" | "services"> => {
      const alone = (app: App) => ({ app, services: new Map() })
      if (!isReadable(url)) {
        return alone(BadRequest.of("The path has a % that does not begin an encoded character. Write %25."))
      }
      if (lacksHost(request)) return alone(BadRequest.of("Send a Host header."))
      if (found === undefined) {
        const methods = routes.allowed(url)
        return cors.isPreflight(request, wantedRoute(routes, request, url)) && methods.length > 0
          ? alone(Effect.succeed(cors.answerPreflight(methods)))
          : alone(Effect.fail(new HttpServerError.RouteNotFound({ request })))
      }
      const { route } = found
      const boundRequest = bindRequest(request, route, url)
      // Binding may have renamed parameters of the URL.
      const named = boundRequest.url === url ? found : (routes.find(request.method, boundRequest.url) ?? found)
      return {
        app: ofRoute(handlers.of(route), route, boundRequest, requestId),
        services: servicesOf(boundRequest, named, handlers, requestId)
      }
    }

    /** Counts the request, and runs it or responds with when to try again. */
    const withinLimits = (app: App, request: NodeRequest, onCount: (verdict: Verdict) => void): App =>
      callerOf(request).pipe(
        Effect.flatMap((caller) =>
          rateLimit({ caller: Option.map(caller, ({ name }) => name), address: networkOf(request, trustedProxies) })
        ),
        Effect.flatMap((verdict) => {
          onCount(verdict)
          if (verdict.isAllowed) return app
          const seconds = verdict.retryAfterSeconds
          return TooManyRequests.after(seconds, `Too many requests. Try again in ${seconds} s.`)
        })
      )

    return (request: NodeRequest): Begun => {
      const started = performance.now()
      const { method } = request
      const url = plainUrl(request.url)
      const requestId = requestIdOf(request)
      const found = routes.find(method, url)
      const route = found?.route
      const observed: Observed = { request, route, requestId }
      let limits: Verdict["headers"] = {}

      const answerOf = (cause: Cause.Cause<unknown>) => answerCause(cause, { method, url, requestId, routes })
      const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) => {
        if (Exit.isSuccess(exit)) return exit.value.status
        return Cause.isInterruptedOnly(exit.cause) ? 499 : answerOf(exit.cause).response.status
      }
      const end: Begun["end"] = (exit, fiber) => {
        const ended = (status: number) => {
          const durationMs = performance.now() - started
          const address = addressOf(request, trustedProxies)
          logAccess(fiber, request, { route, status, requestId, durationMs, address, refs: observed.refs })
          telemetry.ended(observed, status, durationMs)
        }
        const answered = (given: HttpServerResponse.HttpServerResponse): Outgoing => {
          const response = cors.withCors(given, request, route ?? wantedRoute(routes, request, url))
          const path = url.toLowerCase()
          const headers = headersOf(response, { requestId, limits, path, lastOnConnection: stopping.hasBegun() })
          ended(response.status)
          return { response, headers }
        }
        if (Exit.isSuccess(exit)) return answered(exit.value)
        if (Cause.isInterruptedOnly(exit.cause)) {
          // The caller went away: there is nobody to respond to, but the request is logged.
          ended(499)
          return undefined
        }
        const { response, unexpected } = answerOf(exit.cause)
        if (unexpected) {
          fork(Effect.logError("unexpected failure", exit.cause).pipe(Effect.annotateLogs({ requestId })))
        }
        return answered(response)
      }

      const { app, services } = bound(request, { url, requestId, found })
      const counted =
        isLimited && !isForOperators(url)
          ? withinLimits(app, request, ({ headers }) => {
              limits = headers
            })
          : app
      telemetry.began()
      return { app: telemetry.inSpan(observed, counted, statusOf), services, end }
    }
  })

export type Conventions = Effect.Effect.Success<ReturnType<typeof makeConventions>>
