import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { Brand, DateTime, Redacted, Types } from "effect"

/** A value as in JSON: ids are numbers, dates are ISO 8601 strings. */
export type Plain<T> = T extends DateTime.Utc
  ? string
  : T extends Redacted.Redacted<infer Secret>
    ? Plain<Secret>
    : T extends Brand.Brand<infer _Names>
      ? T extends number
        ? number
        : T extends string
          ? string
          : PlainObject<T>
      : T extends string | number | boolean | null | undefined | FormData | Uint8Array
        ? T
        : T extends ReadonlyArray<infer Item>
          ? ReadonlyArray<Plain<Item>>
          : PlainObject<T>

type PlainObject<T> = unknown extends T ? unknown : { readonly [Key in keyof T]: Plain<T[Key]> }

type PlainMethod<Endpoint> = [Endpoint] extends [
  HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer Path,
    infer UrlParams,
    infer Payload,
    infer Headers,
    infer Success,
    infer _Error,
    infer _R,
    infer _RE
  >
]
  ? (
      ...request: PlainArguments<
        HttpApiEndpoint.HttpApiEndpoint.ClientRequest<Path, UrlParams, Payload, Headers, false>
      >
    ) => Promise<Success extends void ? void : Plain<Success>>
  : never

type PlainArguments<Request> = undefined extends Request
  ? readonly [request?: RequestExtras]
  : readonly [request: Types.Simplify<Plain<Omit<Request, "withResponse" | "headers">> & RequestExtras>]

export interface RequestExtras {
  /** Additional headers, such as Idempotency-Key or If-Match. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

type PlainGroup<Group> =
  Group extends HttpApiGroup.HttpApiGroup<infer _Name, infer Endpoints, infer _Error, infer _R>
    ? { readonly [Endpoint in Endpoints as HttpApiEndpoint.HttpApiEndpoint.Name<Endpoint>]: PlainMethod<Endpoint> }
    : never

/** Every route of an API as a function that returns a Promise. */
export type PlainClient<Api> =
  Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer _Error, infer _R>
    ? { readonly [Group in Groups as HttpApiGroup.HttpApiGroup.Name<Group>]: PlainGroup<Group> }
    : never
