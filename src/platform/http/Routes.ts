import {
  HttpApi,
  type HttpApiEndpoint,
  type HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  type HttpMethod,
  type HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import { type Effect, Option, type Scope } from "effect"
import * as FindMyWay from "find-my-way-ts"
import { aliasedFamilies, isSingleResource } from "../../../schema/Conventions.ts"
import { type NameTree, nameTree } from "./NameBinding.ts"

/** A request on its way to its answer; whatever goes wrong is turned into one at the very end. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** What the conventions need to know of an endpoint, read off the HttpApi once at the start. */
export interface Route {
  readonly method: string
  readonly path: `/${string}`
  readonly needsToken: boolean
  readonly singleResource: boolean
  readonly takesJson: boolean
  readonly body: NameTree
  readonly query: NameTree
}

export const routerConfig = { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 512 }

const emptyTree: NameTree = { names: new Map(), open: true }

const isMultipart = (endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod.HttpMethod>) =>
  Option.exists(
    endpoint.payloadSchema,
    ({ ast }) => HttpApiSchema.getMultipart(ast) !== undefined || HttpApiSchema.getMultipartStream(ast) !== undefined
  )

const describeEndpoint = (
  endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod.HttpMethod>,
  middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>
): Route => ({
  method: endpoint.method,
  path: endpoint.path,
  needsToken: [...middleware].some(HttpApiMiddleware.isSecurity),
  singleResource: isSingleResource(endpoint.method, endpoint.path),
  takesJson: Option.isSome(endpoint.payloadSchema) && !isMultipart(endpoint),
  body: Option.match(endpoint.payloadSchema, { onNone: () => emptyTree, onSome: ({ ast }) => nameTree(ast) }),
  query: Option.match(endpoint.urlParamsSchema, { onNone: () => emptyTree, onSome: ({ ast }) => nameTree(ast) })
})

const alias = new RegExp(`^/api(?=/(?:${aliasedFamilies.join("|")})(?:[/?]|$))`, "i")

/** The families without /api also answer with it: one definition serves both. */
export const withoutAlias = (url: string) => url.replace(alias, "")

export const makeRoutes = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  plainPaths: ReadonlyArray<`/${string}`>
) => {
  const router = FindMyWay.make<Route>(routerConfig)
  const methods = new Set<string>()
  const add = (route: Route) => {
    methods.add(route.method)
    router.on(route.method, route.path, route)
  }
  for (const path of plainPaths) {
    add({
      method: "GET",
      path,
      needsToken: false,
      singleResource: false,
      takesJson: false,
      body: emptyTree,
      query: emptyTree
    })
  }
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => add(describeEndpoint(endpoint, middleware))
  })
  return {
    find: (method: string, url: string): Route | undefined =>
      router.find(method === "HEAD" ? "GET" : method, url)?.handler,
    /** The methods that a path takes; none when there is no such path. */
    allowed: (url: string): ReadonlyArray<string> => {
      const found = [...methods].filter((method) => router.has(method, url))
      return found.includes("GET") ? [...found, "HEAD"].sort() : found.sort()
    }
  }
}

export type Routes = ReturnType<typeof makeRoutes>
