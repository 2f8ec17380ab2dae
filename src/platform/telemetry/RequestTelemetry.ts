import { type HttpServerRequest, HttpTraceContext } from "@effect/platform"
import { Clock, Effect, Exit, FiberRef, type FiberRefs, Option } from "effect"
import { memoised } from "../caching/Memoised.ts"
import type { Route } from "../http/Routes.ts"
import { httpActive, httpDuration, httpRequests } from "./ServiceMetrics.ts"

/** Whether spans are collected. Read while layers are built, since it does not change afterwards. */
export const isTraced = FiberRef.get(FiberRef.currentTracerEnabled)

export interface Observed {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly route: Route | undefined
  readonly requestId: string
  /** The fiber refs of the request's span, when there is one. */
  refs?: FiberRefs.FiberRefs
}

/** Keeps the fiber refs for the log line of the request, which is written when its span has ended. */
const noteRefs = (observed: Observed) =>
  Effect.map(Effect.getFiberRefs, (refs) => {
    observed.refs = refs
  })

class Answered5xx extends Error {
  override readonly name = "Answered5xx"
}

/** Records on the request's span how the request ended. */
const endSpan = (status: number) =>
  Effect.flatMap(Effect.currentSpan, (span) => {
    span.attribute("http.response.status_code", status)
    return status < 500
      ? Effect.void
      : Effect.map(Clock.currentTimeNanos, (now) => span.end(now, Exit.die(new Answered5xx())))
  }).pipe(Effect.ignore)

const none: ReadonlyArray<never> = []

/** Counts the responses of one method and status, and how long they took. */
const meterOf = (method: string, route: string, status: number) => {
  const count = httpRequests.of({ method, route, status: String(status) })
  const duration = httpDuration.of({ method, route })
  return (durationMs: number) => {
    count.unsafeUpdate(1, none)
    duration.unsafeUpdate(durationMs / 1000, none)
  }
}

/** The meters of each route, cached by what is at hand: building their labels takes longer than counting. */
const makeMeters = () => {
  const ofRoute = memoised((route: Route | undefined) => {
    const path = route?.path ?? "unmatched"
    return memoised((method: string) => memoised((status: number) => meterOf(method, path, status)))
  })
  return ({ request, route }: Observed, status: number) => ofRoute(route)(request.method)(status)
}

/** Probes come every few seconds and tell nothing: they are counted, but get no span. */
const isProbe = (route: Route | undefined) => route !== undefined && /^\/(?:health\/|metrics$)/.test(route.path)

/** Counts requests and, if tracing is on, makes a span of each that continues the caller's trace. */
export const makeRequestTelemetry = Effect.map(isTraced, (traced) => {
  const inSpan = <A, E, R>(
    observed: Observed,
    answer: Effect.Effect<A, E, R>,
    statusOf: (exit: Exit.Exit<A, E>) => number
  ): Effect.Effect<A, E, R> => {
    const { request, requestId, route } = observed
    if (isProbe(route)) return traced ? Effect.withTracerEnabled(answer, false) : answer
    return traced
      ? Effect.withSpan(
          Effect.zipRight(
            noteRefs(observed),
            Effect.onExit(answer, (exit) => endSpan(statusOf(exit)))
          ),
          `${request.method} ${route?.path ?? "unmatched"}`,
          {
            kind: "server",
            captureStackTrace: false,
            ...Option.match(HttpTraceContext.w3c(request.headers), {
              onNone: () => ({ root: true }),
              onSome: (parent) => ({ parent })
            }),
            attributes: {
              "http.request.method": request.method,
              "http.route": route?.path ?? "unmatched",
              "casework.request_id": requestId
            }
          }
        )
      : answer
  }

  const meters = makeMeters()
  const active = httpActive.of({})
  const ended = (observed: Observed, status: number, durationMs: number) => {
    active.unsafeModify(-1, none)
    meters(observed, status)(durationMs)
  }

  return { began: () => active.unsafeModify(1, none), inSpan, ended }
})

/** Notes on the current span which customer's request or job it is about. */
export const noteCustomer = (customerID: number) => Effect.annotateCurrentSpan("casework.customer_id", customerID)
