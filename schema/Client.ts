import { type HttpApi, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, type Redacted } from "effect"
import { CaseworkApi } from "./Api.ts"

export interface CaseworkClientOptions {
  /** The address of the service, such as https://casework.example */
  readonly baseUrl: string | URL
  /** The token returned by login; without it only public routes can be called. An Effect is run before each request. */
  readonly token?: string | Redacted.Redacted | Effect.Effect<string | Redacted.Redacted> | undefined
}

type ClientOf<Api> =
  Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer Error, infer _R>
    ? HttpApiClient.Client<Groups, Error, never>
    : never

/** One member for each group of routes, with a function for each route. */
export interface CaseworkClient extends ClientOf<typeof CaseworkApi> {}

const withToken = (token: CaseworkClientOptions["token"]) => {
  if (token === undefined) return (client: HttpClient.HttpClient) => client
  const known = Effect.isEffect(token) ? token : Effect.succeed(token)
  return HttpClient.mapRequestEffect((request: HttpClientRequest.HttpClientRequest) =>
    Effect.map(known, (value) => HttpClientRequest.bearerToken(request, value))
  )
}

/** A typed client for Effect: errors are those of the contract, and requests go through the provided HttpClient. */
export const makeCaseworkClient = (
  options: CaseworkClientOptions
): Effect.Effect<CaseworkClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(CaseworkApi, { baseUrl: options.baseUrl, transformClient: withToken(options.token) })
