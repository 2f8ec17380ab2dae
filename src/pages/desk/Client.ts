import {
  FetchHttpClient,
  HttpApiClient,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { Effect, Either, ParseResult, Predicate } from "effect"
import { stillRunning } from "../../../schema/Errors.ts"
import { DeskApi } from "./DeskApi.ts"
import { Problem } from "./Problem.ts"

/** Whether the service itself refused, so that nothing has happened. */
export const isRefusal = (error: unknown) =>
  error instanceof Problem &&
  error.status !== undefined &&
  error.status >= 400 &&
  error.status < 500 &&
  error.message !== stillRunning

export const unreachable = "The service cannot be reached. Check your connection."

export const notUnderstood = "The service returned an unexpected response. Reload the page."

/** Describes a value that the contract does not allow, in the words that the service would use. */
const wordsForInput = (error: ParseResult.ParseError) => {
  const found = ParseResult.ArrayFormatter.formatErrorSync(error)
  // When there are other problems, the types that the schema expected are no help.
  const plain = found.filter(({ message }) => !message.startsWith("Expected "))
  const problems = (plain.length === 0 ? found : plain).map(({ message, path }) =>
    `${path.join(".")} ${message}`.trim()
  )
  return `${[...new Set(problems)].join("; ")}.`
}

const problemOf = (failure: unknown): Problem => {
  if (failure instanceof Problem) return failure
  if (ParseResult.isParseError(failure)) return new Problem(wordsForInput(failure))
  if (Predicate.hasProperty(failure, "message") && typeof failure.message === "string") {
    if (Predicate.hasProperty(failure, "status") && typeof failure.status === "number") {
      return new Problem(failure.message, failure.status)
    }
    if (Predicate.isTagged(failure, "RequestError")) {
      return new Problem(unreachable)
    }
  }
  return new Problem(notUnderstood)
}

/** Retry-After in milliseconds. This service sends seconds, never a date. */
const waitIn = (retryAfter: string | undefined) =>
  retryAfter !== undefined && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined

/**
 * Turns a response that the contract does not describe into a problem: in its own words if they come from the service
 * and not from a proxy.
 */
const problemIn = ({ headers, json, status }: HttpClientResponse.HttpClientResponse) =>
  json.pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.map((body) => {
      const message = Predicate.hasProperty(body, "message") ? body.message : undefined
      const words = typeof message === "string" && message !== "" ? message : undefined
      const plain = status < 400 ? notUnderstood : `The service returned an error (${status}). Try again in a moment.`
      return new Problem(words ?? plain, status, waitIn(headers["retry-after"]))
    })
  )

const explained = (failure: unknown): Effect.Effect<never, unknown> => {
  // Keeps a malformed response from being mistaken for malformed input.
  if (ParseResult.isParseError(failure)) return Effect.fail(new Problem(notUnderstood))
  return failure instanceof HttpClientError.ResponseError
    ? Effect.flatMap(problemIn(failure.response), Effect.fail)
    : Effect.fail(failure)
}

/**
 * The typed client, derived from the contract. With a token it acts for a representative, until the token is refused.
 */
export const makeClient = (login?: { readonly token: string; readonly onRefused: () => void }) =>
  HttpApiClient.make(DeskApi, {
    baseUrl: location.origin,
    transformResponse: Effect.catchAll(explained),
    transformClient: (client) =>
      login === undefined
        ? client
        : client.pipe(
            HttpClient.mapRequest(HttpClientRequest.bearerToken(login.token)),
            HttpClient.tap(({ status }) => (status === 401 ? Effect.sync(login.onRefused) : Effect.void))
          )
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runSync)

export type Client = ReturnType<typeof makeClient>

/** Sends an idempotency key with a call: repeated with the same key, it is done once and gets the same response. */
export const once = <A, E>(key: string, call: Effect.Effect<A, E>) =>
  Effect.provideService(call, FetchHttpClient.RequestInit, { headers: { "idempotency-key": key } })

/** Runs an effect as a promise that fails with a Problem. */
export const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const result = await Effect.runPromise(Effect.either(effect))
  if (Either.isRight(result)) return result.right
  throw problemOf(result.left)
}

/** How long to wait before asking again automatically, if the service has said so. */
export const waitFor = (error: unknown) => (error instanceof Problem ? error.waitFor : undefined)

export const wordsFor = (error: unknown) =>
  error instanceof Problem ? error.message : "Something went wrong. Reload the page."
