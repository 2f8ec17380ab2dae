import { Headers, HttpApiError, HttpServerError, HttpServerResponse, Multipart } from "@effect/platform"
import { Array, Cause, Chunk, Option } from "effect"
import {
  type ApiError,
  BadRequest,
  InternalServerError,
  isApiError,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  ServiceUnavailable
} from "../../../schema/Errors.ts"
import { BytesMissing, isBlobTrouble, StoreAway } from "../BlobTrouble.ts"
import { isDatabaseAway } from "../database/DatabaseAway.ts"
import { sqlState } from "../database/Violations.ts"
import type { Routes } from "./Routes.ts"

/** The one body of every error; what is private to an error class stays behind. */
const errorResponse = (error: ApiError, requestId: string, headers: Headers.Input = {}) => {
  const details = error._tag === "BadRequest" && error.details !== undefined ? { details: error.details } : {}
  return HttpServerResponse.unsafeJson(
    { status: error.status, error: error.error, message: error.message, requestId, ...details },
    {
      status: error.status,
      headers: {
        ...Headers.fromInput(headers),
        ...(error._tag === "TooManyRequests" && { "retry-after": String(error.retryAfterSeconds) }),
        ...(error._tag === "ServiceUnavailable" && { "retry-after": "1" }),
        ...(error._tag === "RangeNotSatisfiable" && { "content-range": `bytes */${error.size}` }),
        ...(error._tag === "Unauthorized" && { "www-authenticate": "Bearer" })
      }
    }
  )
}

/** Schemas describe themselves in the words of the compiler. */
const expected = (description: string) => {
  if (/^(?:ReadonlyArray<|Array<|readonly \[)/.test(description)) return "a list"
  if (/^\{|\(Encoded side\)|\| filter\b|^Struct\b/.test(description)) return "an object"
  return description
}

const longestQuote = 100

const quoted = (actual: string) =>
  actual.length > longestQuote ? `${actual.slice(0, longestQuote).toWellFormed()}…` : actual

const inPlainWords = (message: string) => {
  if (message === "is missing") return "is required"
  if (/^Unable to decode .* into a DateTime\.Utc$/s.test(message))
    return "must be a date and time, such as 2026-03-01T09:00:00Z"
  const [, description, actual = ""] = /^Expected (.*), actual (.*)$/s.exec(message) ?? []
  if (description === undefined) return message
  return description === "string" && /^\[".*"\]$/s.test(actual)
    ? "must be given once"
    : `must be ${expected(description)}, not ${quoted(actual)}`
}

const alternative = /^must be (.*), not (.*)$/s

/** A union reports each of its members: for the caller that is one problem with several ways out. */
const inOneProblem = (messages: ReadonlyArray<string>) => {
  const ways = messages.map((message) => alternative.exec(message))
  const actual = ways[0]?.[2]
  return messages.length > 1 && ways.every((way) => way !== null && way[2] === actual)
    ? `must be one of ${ways.map((way) => way?.[1]).join(", ")}, not ${actual}`
    : messages.join(" or ")
}

/** Where something else is wrong, that it might also be null is no help. */
const isOnlyNull = (message: string) => message.startsWith("must be null,")

/** What is wrong with a value, as its schema found it, in plain words. */
export const problemsIn = (
  found: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }>
) => {
  const byPath = Array.groupBy(found, ({ path }) => path.map(String).join("."))
  const details = Object.entries(byPath).map(([path, issues]) => {
    const messages = [...new Set(issues.map(({ message }) => inPlainWords(message)))]
    const wanted = messages.filter((message) => !isOnlyNull(message))
    return { path, message: inOneProblem(wanted.length === 0 ? messages : wanted).slice(0, 500) }
  })
  const isOutdone = (detail: { readonly path: string; readonly message: string }) =>
    isOnlyNull(detail.message) && details.some(({ path }) => path.startsWith(`${detail.path}.`))
  return BadRequest.listing(details.filter((detail) => !isOutdone(detail)))
}

const reachedLimit = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "ReachedLimit"

const formProblem = ({ cause, reason }: Multipart.MultipartError) => {
  if (reason === "InternalError" && !reachedLimit(cause)) return undefined
  return reason === "Parse"
    ? new BadRequest({ message: "The form could not be read. Send it as multipart/form-data." })
    : new PayloadTooLarge({ message: "The form, one of its files or fields, or their number is too large." })
}

const routeNotFound = (routes: Routes, url: string, method: string) => {
  const allowed = routes.allowed(url)
  return allowed.length === 0
    ? {
        error: new NotFound({ message: `There is no route ${method} ${url.split("?")[0]?.slice(0, 200)}.` }),
        headers: {}
      }
    : {
        error: new MethodNotAllowed({ message: `This path does not take ${method}. It takes ${allowed.join(", ")}.` }),
        headers: { allow: allowed.join(", ") }
      }
}

const toApiError = (failure: unknown): ApiError | undefined => {
  if (isApiError(failure)) return failure
  if (failure instanceof HttpApiError.HttpApiDecodeError) return problemsIn(failure.issues)
  if (failure instanceof Multipart.MultipartError) return formProblem(failure)
  if (failure instanceof HttpServerError.RequestError) {
    return new BadRequest({ message: "The request body could not be read." })
  }
  if (failure instanceof StoreAway) {
    return new ServiceUnavailable({ message: "The store of files does not answer. Send the request again." })
  }
  if (failure instanceof BytesMissing) {
    return new NotFound({ message: "The content of the file is gone from the store of files." })
  }
  return undefined
}

/** PostgreSQL's codes for text that it cannot store, from a place where any text is taken. */
const unstorable = new Set(["22021", "22P05"])

/** And for a standby's refusal to write. */
const onlyReads = "25006"

export interface Answer {
  readonly response: HttpServerResponse.HttpServerResponse
  /** Nobody foresaw it: the log must have the cause. */
  readonly unexpected: boolean
}

/** Turns whatever went wrong into the answer that the caller gets. */
export const answerCause = (
  cause: Cause.Cause<unknown>,
  request: { readonly method: string; readonly url: string; readonly requestId: string; readonly routes: Routes }
): Answer => {
  const failures = [...Chunk.toReadonlyArray(Cause.failures(cause)), ...Chunk.toReadonlyArray(Cause.defects(cause))]
  for (const failure of failures) {
    if (failure instanceof HttpServerError.RouteNotFound) {
      const { error, headers } = routeNotFound(request.routes, request.url, request.method)
      return { response: errorResponse(error, request.requestId, headers), unexpected: false }
    }
    const error = toApiError(failure)
    if (error !== undefined) {
      const unexpected = error.status === 500 || isBlobTrouble(failure)
      return { response: errorResponse(error, request.requestId), unexpected }
    }
  }
  if (Option.exists(sqlState(cause), (state) => unstorable.has(state))) {
    const error = new BadRequest({ message: "Text must not have NUL characters or broken Unicode." })
    return { response: errorResponse(error, request.requestId), unexpected: false }
  }
  if (isDatabaseAway(cause)) {
    const error = new ServiceUnavailable({
      message: Option.contains(sqlState(cause), onlyReads)
        ? "The database takes no changes at the moment. Send the request again."
        : "The database does not answer. Send the request again."
    })
    return { response: errorResponse(error, request.requestId), unexpected: true }
  }
  const message = "Something unexpected happened. Try again; if it stays, report the request id."
  return {
    response: errorResponse(new InternalServerError({ message }), request.requestId),
    unexpected: true
  }
}
