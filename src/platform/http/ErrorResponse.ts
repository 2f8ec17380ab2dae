import { Headers, HttpApiError, HttpServerError, HttpServerResponse, Multipart } from "@effect/platform"
import { Cause, Chunk, Option } from "effect"
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
import { problemsIn } from "../Problems.ts"
import type { Routes } from "./Routes.ts"

/** Builds the body that all errors share; what is private to an error class is left out. */
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

const reachedLimit = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "ReachedLimit"

const formProblem = ({ cause, reason }: Multipart.MultipartError) => {
  if (reason === "InternalError" && !reachedLimit(cause)) return undefined
  return reason === "Parse"
    ? new BadRequest({ message: "The form could not be read. Send it as multipart/form-data." })
    : new PayloadTooLarge({
        message: "The form or one of its files or fields is too large, or it has too many of them."
      })
}

const routeNotFound = (routes: Routes, url: string, method: string) => {
  const allowed = routes.allowed(url)
  return allowed.length === 0
    ? {
        error: new NotFound({ message: `There is no route ${method} ${url.split("?")[0]?.slice(0, 200)}.` }),
        headers: {}
      }
    : {
        error: new MethodNotAllowed({
          message: `This path does not support ${method}. It supports ${allowed.join(", ")}.`
        }),
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
    return new ServiceUnavailable({ message: "The file store does not respond. Send the request again." })
  }
  if (failure instanceof BytesMissing) {
    return new NotFound({ message: "The content of the file is missing from the file store." })
  }
  return undefined
}

/** PostgreSQL's codes for text that it cannot store, which can come in wherever any text is accepted. */
const unstorable = new Set(["22021", "22P05"])

/** PostgreSQL's code for a standby's refusal to write. */
const onlyReads = "25006"

interface Answer {
  readonly response: HttpServerResponse.HttpServerResponse
  /** The failure was not foreseen, so its cause must be logged. */
  readonly unexpected: boolean
}

/** Turns a failure into the response that the caller gets. */
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
    const error = new BadRequest({ message: "Text must not contain NUL characters or broken Unicode." })
    return { response: errorResponse(error, request.requestId), unexpected: false }
  }
  if (isDatabaseAway(cause)) {
    const error = new ServiceUnavailable({
      message: Option.contains(sqlState(cause), onlyReads)
        ? "The database does not accept changes at the moment. Send the request again."
        : "The database does not respond. Send the request again."
    })
    return { response: errorResponse(error, request.requestId), unexpected: true }
  }
  const message = "An unexpected error occurred. Try again; if it persists, report the request id."
  return {
    response: errorResponse(new InternalServerError({ message }), request.requestId),
    unexpected: true
  }
}
