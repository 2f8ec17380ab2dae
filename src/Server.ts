import { createServer, type Server } from "node:http"
import { HttpApiBuilder, HttpApiScalar, HttpRouter, HttpServerResponse, OpenApi } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { callerOf } from "./auth/Policies.ts"
import { Tokens } from "./auth/Tokens.ts"
import { refuseBrokenRequests } from "./platform/http/BrokenRequests.ts"
import { makeConventions } from "./platform/http/Conventions.ts"
import { makeRoutes, routerConfig } from "./platform/http/Routes.ts"
import { Settings } from "./platform/Settings.ts"

const routes = makeRoutes(CaseworkApi, ["/docs", "/openapi.json"])

const Conventions = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const tokens = yield* Tokens
    return yield* makeConventions(routes, (request) =>
      Effect.map(
        callerOf(tokens, request),
        Option.map(({ customerID }) => customerID)
      )
    )
  })
)

const OpenApiJson = HttpApiBuilder.Router.use((router) =>
  router.get("/openapi.json", HttpServerResponse.json(OpenApi.fromApi(CaseworkApi)).pipe(Effect.orDie))
)

const Docs = HttpApiScalar.layer({ path: "/docs" })

const shutdownDeadline = 10_000

/** Requests under way may finish for 10 seconds after the stop; then their connections are cut. */
const cutOffAtDeadline = (server: Server) =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), shutdownDeadline).unref()
    })
  )

const makeServer = () => {
  const server = createServer({ headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 })
  return refuseBrokenRequests(server)
}

const Listen = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { host, port } = yield* Settings
    const server = makeServer()
    return NodeHttpServer.layer(() => server, { host, port }).pipe(
      Layer.merge(Layer.scopedDiscard(cutOffAtDeadline(server)))
    )
  })
)

/** The HTTP side: the API with its conventions and docs on a listening socket. */
export const ServerLive = HttpApiBuilder.serve().pipe(
  Layer.provide([Conventions, OpenApiJson, Docs]),
  Layer.provide(HttpRouter.setRouterConfig(routerConfig)),
  Layer.provideMerge(Listen)
)
