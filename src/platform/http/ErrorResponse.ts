import { Headers, HttpApiError, HttpServerError, HttpServerResponse } from "@effect/platform"
import { Cause, Chunk, Option } from "effect"
import {
  type ApiError,
  BadRequest,
  InternalServerError,
  isApiError,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  ProblemDetail
} from "../../../schema/Errors.ts"
import type { Routes } from "./Routes.ts"

/** The one body of every error; what is private to an error class stays behind. */
export const errorResponse = (error: ApiError, requestId: string, headers: Headers.Input = {}) => {
  const details = error._tag === "BadRequest" && error.details.length > 0 ? { details: error.details } : {}
  return HttpServerResponse.unsafeJson(
    { status: error.status, error: error.error, message: error.message, requestId, ...details },
    {
      status: error.status,
      headers: {
        ...Headers.fromInput(headers),
        ...(error._tag === "TooManyRequests" && { "retry-after": String(error.retryAfterSeconds) }),
        ...(error._tag === "Unauthorized" && { "www-authenticate": "Bearer" }),
        // What is left of a body that was refused unread is not worth reading.
        ...(error._tag === "PayloadTooLarge" && { connection: "close" })
      }
    }
  )
}

const inPlainWords = (message: string) =>
  message === "is missing" ? "is required" : message.replace(/^Expected (.*), actual (.*)$/s, "must be $1, not $2")

const validationFailed = (error: HttpApiError.HttpApiDecodeError) => {
  const details = error.issues.map(
    ({ message, path }) =>
      new ProblemDetail({ path: path.map(String).join("."), message: inPlainWords(message).slice(0, 500) })
  )
  const sentences = details
    .slice(0, 5)
    .map(({ message, path }) => (path === "" ? `The body ${message}` : `${path} ${message}`))
  const rest = details.length > sentences.length ? `; and ${details.length - sentences.length} more` : ""
  return new BadRequest({ message: `${sentences.join("; ")}${rest}.`, details })
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && (/maxBytes/.test(error.message) || isTooLarge(error.cause))

const routeNotFound = (routes: Routes, url: string, method: string) => {
  const allowed = routes.allowed(url)
  return allowed.length === 0
    ? { error: new NotFound({ message: `There is no route ${method} ${url.split("?")[0]}.` }), headers: {} }
    : {
        error: new MethodNotAllowed({ message: `This path does not take ${method}. It takes ${allowed.join(", ")}.` }),
        headers: { allow: allowed.join(", ") }
      }
}

const toApiError = (failure: unknown): ApiError | undefined => {
  if (isApiError(failure)) return failure
  if (failure instanceof HttpApiError.HttpApiDecodeError) return validationFailed(failure)
  if (failure instanceof HttpServerError.RequestError) {
    return isTooLarge(failure)
      ? new PayloadTooLarge({ message: "The request body is too large." })
      : new BadRequest({ message: "The request body could not be read." })
  }
  return undefined
}

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
    if (error !== undefined)
      return { response: errorResponse(error, request.requestId), unexpected: error.status === 500 }
  }
  const message = "Something unexpected happened. Try again; if it stays, report the request id."
  return {
    response: errorResponse(new InternalServerError({ message }), request.requestId),
    unexpected: true
  }
}

/** PostgreSQL's code of the first database error in a cause, wherever it is wrapped. */
export const sqlState = (cause: Cause.Cause<unknown>): Option.Option<string> => {
  const codeOf = (error: unknown): string | undefined =>
    error instanceof Error
      ? "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)
        ? error.code
        : codeOf(error.cause)
      : undefined
  return Option.fromNullable(
    [...Cause.failures(cause), ...Cause.defects(cause)].map(codeOf).find((code) => code !== undefined)
  )
}
