import { HttpApi, type HttpApiEndpoint, HttpApiSchema, type HttpMethod } from "@effect/platform"
import { Option, type SchemaAST } from "effect"
import { CaseworkApi } from "./Api.ts"
import type { PlainClient, RequestExtras } from "./PlainTypes.ts"

export interface CaseworkPromiseClientOptions {
  /** The address of the service, such as https://casework.example */
  readonly baseUrl: string | URL
  /** The token returned by login, or a function that is called before each request. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** One member for each group of routes, with a function for each route: JSON in, JSON out, as in the docs. */
export interface CaseworkPromiseClient extends PlainClient<typeof CaseworkApi> {}

/** An error response of the service. */
export class CaseworkError extends Error {
  override readonly name = "CaseworkError"
  readonly status: number
  readonly requestId: string | null
  /** Every problem of an invalid request. */
  readonly details: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** Seconds to wait before a retry, if the service says so: after too many requests, or while it is unavailable. */
  readonly retryAfter: number | null

  constructor(status: number, body: ErrorBody, retryAfter: number | null = null) {
    super(body.message ?? `The service responded with status ${status}.`)
    this.status = status
    this.retryAfter = retryAfter
    this.requestId = body.requestId ?? null
    this.details = body.details ?? []
  }
}

interface ErrorBody {
  readonly message?: string
  readonly requestId?: string
  readonly details?: CaseworkError["details"]
}

type Values = Readonly<Record<string, unknown>>

interface PlainRequest extends RequestExtras {
  readonly path?: Values
  readonly urlParams?: Values
  readonly payload?: unknown
}

type Endpoint = HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod.HttpMethod>

const addressOf = (baseUrl: string | URL, { path }: Endpoint, request: PlainRequest) => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(request.path?.[name])))
  const url = new URL(String(baseUrl).replace(/\/+$/, "") + filled)
  for (const [name, value] of Object.entries(request.urlParams ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, String(one))
    }
  }
  return url
}

const bodyOf = ({ payload }: PlainRequest) =>
  payload === undefined || payload instanceof FormData
    ? { headers: {}, body: payload }
    : { headers: { "content-type": "application/json" }, body: JSON.stringify(payload) }

/** The contract's schema for a response status; without one the response is empty. */
interface Success {
  readonly ast: Option.Option<SchemaAST.AST>
}

/** Reads the body by the contract, not by the response's content type: a file may be of any type, even JSON. */
const read = async ({ ast }: Success, response: Response): Promise<unknown> => {
  if (Option.isNone(ast)) return undefined
  switch (HttpApiSchema.getEncoding(ast.value).kind) {
    case "Uint8Array":
      return new Uint8Array(await response.arrayBuffer())
    case "Text":
      return response.text()
    default:
      return response.json()
  }
}

const isErrorBody = (body: unknown): body is ErrorBody => typeof body === "object" && body !== null

const readError = async (response: Response): Promise<ErrorBody> => {
  try {
    const body: unknown = await response.json()
    return isErrorBody(body) ? body : {}
  } catch {
    return {}
  }
}

const retryAfterOf = ({ headers }: Response) => {
  const seconds = Number.parseInt(headers.get("retry-after") ?? "", 10)
  return Number.isNaN(seconds) ? null : seconds
}

const etags = new WeakMap<object, string>()

/** The ETag of a resource that was read, to be sent as If-Match so that only this version of it is changed. */
export const etagOf = (answer: object): string | undefined => etags.get(answer)

const withETag = (answer: unknown, { headers }: Response) => {
  const etag = headers.get("etag")
  if (etag !== null && typeof answer === "object" && answer !== null) etags.set(answer, etag)
  return answer
}

type Groups = Record<string, Record<string, unknown>>

/** Narrows the type: the routes are built from the contract, so they have its types. */
const hasEveryRoute = (groups: unknown): groups is CaseworkPromiseClient =>
  typeof groups === "object" && groups !== null && Object.values(groups).every((group) => Object.keys(group).length > 0)

/** A client for code without Effect: every function returns a Promise and rejects with a CaseworkError. */
export const makeCaseworkPromiseClient = (options: CaseworkPromiseClientOptions): CaseworkPromiseClient => {
  const send = options.fetch ?? globalThis.fetch

  const call = async (
    endpoint: Endpoint,
    successes: ReadonlyMap<number, Success>,
    request: PlainRequest = {}
  ): Promise<unknown> => {
    const token = typeof options.token === "function" ? await options.token() : options.token
    const { body, headers } = bodyOf(request)
    const response = await send(addressOf(options.baseUrl, endpoint, request), {
      method: endpoint.method,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...request.headers },
      ...(body !== undefined && { body }),
      ...(request.signal !== undefined && { signal: request.signal })
    })
    const success = successes.get(response.status)
    if (success === undefined) {
      throw new CaseworkError(response.status, await readError(response), retryAfterOf(response))
    }
    return withETag(await read(success, response), response)
  }

  const groups: Groups = {}
  HttpApi.reflect(CaseworkApi, {
    onGroup: ({ group }) => {
      groups[group.identifier] = {}
    },
    onEndpoint: ({ endpoint, group, successes }) => {
      Object.assign(groups[group.identifier] ?? {}, {
        [endpoint.name]: (request?: PlainRequest) => call(endpoint, successes, request)
      })
    }
  })
  if (!hasEveryRoute(groups)) throw new Error("The contract has a group without routes.")
  return groups
}
