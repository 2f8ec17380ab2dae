import type { HttpServerRequest } from "@effect/platform"
import { Cause, type Fiber, FiberRef, type FiberRefs, HashMap, List, Logger, LogLevel, type LogSpan } from "effect"
import { jsonLines, writeLine } from "../text/LogLines.ts"
import { plainUrl, type Route } from "./Routes.ts"

const longest = 1000

const isSecret = (name: string) => /token|secret|password|key/i.test(name)

/**
 * Whether a value says nothing about a person: numbers too short for a telephone's, dates, flags, and how lists are
 * sorted and filtered.
 */
const isPlain = (name: string, value: string) =>
  /^(?:-?\d{1,9}|true|false|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?|)$/i.test(value) ||
  /^(?:sort\w*|order|status|role|lang)$/i.test(name)

const guid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi

/** The route says which parts of its path are credentials; without a route any GUID may be one. */
const pathWithoutSecrets = (path: string, route: Route | undefined) => {
  if (route === undefined) return path.replace(guid, "redacted")
  if (!/:[^/]*token/i.test(route.path)) return path
  const pattern = route.path.split("/")
  return path
    .split("/")
    .map((part, at) => (/^:.*token/i.test(pattern[at] ?? "") ? "redacted" : part))
    .join("/")
}

/** None of our paths contains a semicolon, so what follows one may be parameters of any kind. */
const withoutParameters = (path: string) => path.replace(/(?:;|%3b).*/is, ";redacted")

/** Removes what must not be logged from a URL: credentials, and search terms, which may name a person. */
export const withoutSecrets = (url: string, route?: Route) => {
  const [path = "", query] = plainUrl(url).split(/[?#](.*)/s)
  const safePath = pathWithoutSecrets(withoutParameters(path), route)
  if (query === undefined) return safePath.slice(0, longest)
  // Any character that a client may take for the start of a parameter starts one here.
  const parameters = [...new URLSearchParams(query.replace(/[?#;]/g, "&"))].map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${isSecret(name) || !isPlain(name, value) ? "redacted" : encodeURIComponent(value)}`
  )
  return `${safePath}?${parameters.join("&")}`.slice(0, longest)
}

/** What is logged about a request. */
interface Annotations {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly url: string
  readonly status: number
  readonly durationMs: number
  readonly address: string
}

/** The log entry of a request, with everything that a logger may need. */
export const loggable = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  date: Date,
  annotations: Annotations,
  refs = fiber.getFiberRefs()
) => ({
  fiberId: fiber.id(),
  logLevel: LogLevel.Info,
  message: ["request"],
  cause: Cause.empty,
  context: refs,
  spans: List.empty<LogSpan.LogSpan>(),
  date,
  annotations: HashMap.fromIterable(Object.entries(annotations))
})

const quoted = (text: string) => JSON.stringify(text)

/** Builds the line that the JSON logger would write for a request, in a fraction of the time. */
export const accessLine = (fiber: Fiber.RuntimeFiber<unknown, unknown>, date: Date, of: Annotations) =>
  `{"message":"request","logLevel":"INFO","timestamp":"${date.toISOString()}","annotations":{"requestId":${quoted(of.requestId)},"method":${quoted(of.method)},"route":${quoted(of.route)},"url":${quoted(of.url)},"status":${of.status},"durationMs":${of.durationMs},"address":${quoted(of.address)}},"spans":{},"fiberId":"#${fiber.id().id}"}`

/**
 * Passes a request to the loggers directly: scoped annotations would be compared and restored for every request, to no
 * use.
 */
export const logAccess = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  request: HttpServerRequest.HttpServerRequest,
  answer: {
    readonly route: Route | undefined
    readonly status: number
    readonly requestId: string
    readonly durationMs: number
    readonly address: string
    /** The fiber refs of the request's span, when it has one. */
    readonly refs: FiberRefs.FiberRefs | undefined
  }
) => {
  if (LogLevel.greaterThan(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Info)) return
  const date = new Date()
  const annotations = {
    requestId: answer.requestId,
    method: request.method,
    route: answer.route?.path ?? "unmatched",
    url: withoutSecrets(request.originalUrl, answer.route),
    status: answer.status,
    durationMs: Math.round(answer.durationMs * 10) / 10,
    address: answer.address
  }
  for (const logger of fiber.getFiberRef(FiberRef.currentLoggers)) {
    if (logger === jsonLines) writeLine(accessLine(fiber, date, annotations))
    // The request's span is over by now.
    else if (logger !== Logger.tracerLogger) logger.log(loggable(fiber, date, annotations, answer.refs))
  }
}
