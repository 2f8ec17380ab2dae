import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Either, ParseResult, Predicate } from "effect"
import { stillRunning } from "../../../schema/Errors.ts"
import { largestPage } from "../../../schema/Paging.ts"
import { DeskApi } from "./DeskApi.ts"

/** Why something did not work, in words for the person at the desk. */
export class Problem extends Error {
  readonly status: number | undefined
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** Whether the service itself said no, so that nothing has happened. */
export const isRefusal = (error: unknown) =>
  error instanceof Problem &&
  error.status !== undefined &&
  error.status >= 400 &&
  error.status < 500 &&
  error.message !== stillRunning

const notUnderstood = "The answer could not be understood. Load the page again."

/** A value that the contract does not allow, in the words that the service would have for it. */
const wordsForInput = (error: ParseResult.ParseError) => {
  const found = ParseResult.ArrayFormatter.formatErrorSync(error)
  // Where something else is wrong, what the compiler expected is no help.
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
      return new Problem("The service cannot be reached. Check your connection.")
    }
  }
  const status =
    Predicate.hasProperty(failure, "response") && Predicate.hasProperty(failure.response, "status")
      ? failure.response.status
      : undefined
  return typeof status === "number"
    ? new Problem(`The service answered with ${status}. Try again in a moment.`, status)
    : new Problem(notUnderstood)
}

/** The typed client, derived from the contract. With a token it speaks for a representative, until it is refused. */
export const makeClient = (login?: { readonly token: string; readonly onRefused: () => void }) =>
  HttpApiClient.make(DeskApi, {
    baseUrl: location.origin,
    // So that what the service answered and what the person wrote are not taken for each other.
    transformResponse: Effect.mapError((failure) =>
      ParseResult.isParseError(failure) ? new Problem(notUnderstood) : failure
    ),
    transformClient: (client) =>
      login === undefined
        ? client
        : client.pipe(
            HttpClient.mapRequest(HttpClientRequest.bearerToken(login.token)),
            HttpClient.tap(({ status }) => (status === 401 ? Effect.sync(login.onRefused) : Effect.void))
          )
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runSync)

export type Client = ReturnType<typeof makeClient>

/** Sends a key with a call: made again with the same key, it is answered as before and done once. */
export const once = <A, E>(key: string, call: Effect.Effect<A, E>) =>
  Effect.provideService(call, FetchHttpClient.RequestInit, { headers: { "idempotency-key": key } })

/** Leaves the world of effects: a promise that fails with a Problem. */
export const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const result = await Effect.runPromise(Effect.either(effect))
  if (Either.isRight(result)) return result.right
  throw problemOf(result.left)
}

/** All of a list, page by page. */
export const allOf = async <A>(
  ask: (page: {
    readonly pageNumber: number
    readonly pageSize: number
  }) => Promise<{ readonly items: ReadonlyArray<A>; readonly totalCount: number }>
) => {
  const all: Array<A> = []
  for (let pageNumber = 1; ; pageNumber++) {
    const { items, totalCount } = await ask({ pageNumber, pageSize: largestPage })
    all.push(...items)
    if (items.length === 0 || all.length >= totalCount) return all
  }
}

export const wordsFor = (error: unknown) =>
  error instanceof Problem ? error.message : "Something unexpected happened. Load the page again."
