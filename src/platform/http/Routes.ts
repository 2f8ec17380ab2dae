import {
  HttpApi,
  type HttpApiEndpoint,
  type HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  type HttpMethod,
  type HttpRouter,
  type HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import { type SchemaAST as AST, Context, type Effect, Option } from "effect"
import * as FindMyWay from "find-my-way-ts"
import {
  aliasedFamilies,
  IgnoresIdempotencyKey,
  isSingleResource,
  OpenToEveryOrigin
} from "../../../schema/Conventions.ts"
import { type ListLimits, listLimits, noLimits } from "../ListLimits.ts"
import { type NameTree, nameTree } from "../NameBinding.ts"

/** The services that come with a request, and those that the library lets handlers take for granted. */
export type AppServices = HttpRouter.HttpRouter.Provided | HttpRouter.HttpRouter.DefaultServices

/** The services that are available before the route is known. */
export type RunServices = Exclude<AppServices, HttpRouter.RouteContext | HttpServerRequest.ParsedSearchParams>

/** Produces the response to a request; any failure is turned into a response at the very end. */
export type App = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, AppServices>

/** What the conventions need to know about an endpoint, read from the HttpApi once at startup. */
export interface Route {
  readonly method: string
  readonly path: `/${string}`
  readonly needsToken: boolean
  readonly singleResource: boolean
  readonly takes: "nothing" | "json" | "multipart"
  /** Nothing in the body is required, so a missing body counts as an empty one. */
  readonly mayBeEmpty: boolean
  /** How many bytes a form may have. */
  readonly largestForm: number
  readonly ignoresIdempotencyKey: boolean
  readonly openToEveryOrigin: boolean
  readonly body: NameTree
  readonly bodyLimits: ListLimits
  readonly query: NameTree
}

/** A route, and the parameters that the URL has for it. */
export interface Found {
  readonly route: Route
  readonly params: Readonly<Record<string, string | undefined>>
  readonly searchParams: Readonly<Record<string, string | Array<string>>>
}

/** The length exceeds that of any path that arrives, so that an overlong id is a bad id and not an unknown route. */
const routerConfig = { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 20_000 }

const emptyTree: NameTree = { names: new Map(), open: true }

const isMultipart = (ast: AST.AST) =>
  HttpApiSchema.getMultipart(ast) !== undefined || HttpApiSchema.getMultipartStream(ast) !== undefined

/** Forms carry files of up to 25 MiB; a route may set its own limit. */
const largestForm = 26 * 1024 * 1024

const largestFormOf = (ast: AST.AST) => {
  const limits = HttpApiSchema.getMultipart(ast) ?? HttpApiSchema.getMultipartStream(ast)
  return Option.match(limits?.maxTotalSize ?? Option.none(), { onNone: () => largestForm, onSome: Number })
}

const requiresNothing = (ast: AST.AST): boolean =>
  ast._tag === "TypeLiteral"
    ? ast.propertySignatures.every(({ isOptional }) => isOptional)
    : (ast._tag === "Transformation" || ast._tag === "Refinement") && requiresNothing(ast.from)

const describeEndpoint = (
  endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod.HttpMethod>,
  middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>
): Route => ({
  method: endpoint.method,
  path: endpoint.path,
  needsToken: [...middleware].some(HttpApiMiddleware.isSecurity),
  singleResource: isSingleResource(endpoint.method, endpoint.path),
  takes: Option.match(endpoint.payloadSchema, {
    onNone: () => "nothing" as const,
    onSome: ({ ast }) => (isMultipart(ast) ? "multipart" : "json")
  }),
  mayBeEmpty: Option.exists(endpoint.payloadSchema, ({ ast }) => requiresNothing(ast)),
  largestForm: Option.match(endpoint.payloadSchema, {
    onNone: () => largestForm,
    onSome: ({ ast }) => largestFormOf(ast)
  }),
  ignoresIdempotencyKey: Context.get(endpoint.annotations, IgnoresIdempotencyKey),
  openToEveryOrigin: Context.get(endpoint.annotations, OpenToEveryOrigin),
  body: Option.match(endpoint.payloadSchema, { onNone: () => emptyTree, onSome: ({ ast }) => nameTree(ast) }),
  bodyLimits: Option.match(endpoint.payloadSchema, { onNone: () => noLimits, onSome: ({ ast }) => listLimits(ast) }),
  query: Option.match(endpoint.urlParamsSchema, { onNone: () => emptyTree, onSome: ({ ast }) => nameTree(ast) })
})

const alias = new RegExp(`^/api(?=/(?:${aliasedFamilies.join("|")})(?:/|$))`, "i")

/**
 * Normalises a request target: removes the origin that a proxy's request line has, doubled slashes, and the alias. The
 * families without /api can also be called with it: one definition serves both.
 */
export const plainUrl = (target: string) => {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, "")
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return path.replace(/\/{2,}/g, "/").replace(alias, "") + (end === -1 ? "" : url.slice(end))
}

/** Whether every % in the path begins an encoded character. */
export const isReadable = (url: string) => {
  try {
    decodeURIComponent(url.split(/[?#]/)[0] ?? "")
    return true
  } catch {
    return false
  }
}

/** The router takes a semicolon for the start of the query; encoded, it is a character of the path like any other. */
const routable = (url: string) =>
  url.includes(";") ? url.replace(/^[^?#]*/, (path) => path.replaceAll(";", "%3B")) : url

const hasParameter = ({ path }: Route) => path.includes(":")

export const makeRoutes = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  plainPaths: ReadonlyArray<`/${string}`>,
  /** Where a chat window, on whatever site it is, asks whether it may connect. */
  plainPosts: ReadonlyArray<`/${string}`> = []
) => {
  const router = FindMyWay.make<Route>(routerConfig)
  const methods = new Set<string>()
  const literalPaths = new Set<string>()
  const add = (route: Route) => {
    methods.add(route.method)
    if (!hasParameter(route)) literalPaths.add(route.path.toLowerCase())
    router.on(route.method, route.path, route)
  }
  const plain = (method: string, openToEveryOrigin: boolean) => (path: `/${string}`) =>
    add({
      method,
      path,
      needsToken: false,
      singleResource: false,
      takes: "nothing",
      mayBeEmpty: true,
      largestForm,
      ignoresIdempotencyKey: true,
      openToEveryOrigin,
      body: emptyTree,
      bodyLimits: noLimits,
      query: emptyTree
    })
  plainPaths.forEach(plain("GET", false))
  plainPosts.forEach(plain("POST", true))
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => add(describeEndpoint(endpoint, middleware))
  })
  /** A literal path is never taken for an id, not even with a method that it does not accept. */
  const isLiteral = (url: string) => literalPaths.has(url.replace(/\/?(?:[?#].*)?$/s, "").toLowerCase())
  const find = (method: string, url: string): Found | undefined => {
    const known = method === "HEAD" ? "GET" : method
    // The router would look up any word as a method, even "constructor".
    if (!methods.has(known)) return undefined
    const found = router.find(known, routable(url))
    if (found === undefined || (hasParameter(found.handler) && isLiteral(url))) return undefined
    return { route: found.handler, params: found.params, searchParams: found.searchParams }
  }
  return {
    find,
    /** The methods that a path accepts; none if there is no such path. */
    allowed: (url: string): ReadonlyArray<string> => {
      const found = [...methods].filter((method) => find(method, url) !== undefined)
      return found.includes("GET") ? [...found, "HEAD"].sort() : found.sort()
    }
  }
}

export type Routes = ReturnType<typeof makeRoutes>

const operatorPath = /^\/(?:health|metrics)(?=[/?#]|$)/i

/** Whether load balancers and collectors call the URL, on every kind of node and as often as they like. */
export const isForOperators = (url: string) => operatorPath.test(url)

/** The routes of a node that does background work and takes no requests itself. */
export const onlyForOperators = (routes: Routes): Routes => ({
  find: (method, url) => (isForOperators(url) ? routes.find(method, url) : undefined),
  allowed: (url) => (isForOperators(url) ? routes.allowed(url) : [])
})
