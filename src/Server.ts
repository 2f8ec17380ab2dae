import { createServer } from "node:http"
import { HttpApiBuilder, HttpRouter, HttpServerResponse, OpenApi } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { callerOf } from "./auth/Policies.ts"
import { ResetPasswordPage } from "./auth/ResetPasswordPage.ts"
import { Tokens } from "./auth/Tokens.ts"
import { Docs } from "./Docs.ts"
import { refuseBrokenRequests } from "./platform/http/BrokenRequests.ts"
import { makeConventions } from "./platform/http/Conventions.ts"
import { Deadlines } from "./platform/http/Deadlines.ts"
import { stopGracefully } from "./platform/http/GracefulStop.ts"
import { ignoreOtherProtocols } from "./platform/http/OtherProtocols.ts"
import { makeRoutes, routerConfig } from "./platform/http/Routes.ts"
import { Settings } from "./platform/Settings.ts"

const routes = makeRoutes(CaseworkApi, ["/docs", "/openapi.json", "/reset-password"])

const Conventions = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const tokens = yield* Tokens
    return yield* makeConventions(routes, (request) =>
      Effect.map(
        callerOf(tokens, request),
        Option.map((caller) => ({
          customerID: caller.customerID,
          role: caller._tag === "Representative" ? caller.role : caller._tag
        }))
      )
    )
  })
)

const OpenApiJson = HttpApiBuilder.Router.use((router) =>
  router.get("/openapi.json", HttpServerResponse.json(OpenApi.fromApi(CaseworkApi)).pipe(Effect.orDie))
)

const Listen = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { host, port } = yield* Settings
    const deadlines = yield* Deadlines
    const server = ignoreOtherProtocols(
      createServer({
        headersTimeout: deadlines.headers,
        requestTimeout: deadlines.request,
        connectionsCheckingInterval: deadlines.check,
        keepAliveTimeout: deadlines.idle,
        // A request without a Host is answered here like any other, not by node with an empty 400.
        requireHostHeader: false
      })
    )
    refuseBrokenRequests(server)
    return NodeHttpServer.layer(() => server, { host, port }).pipe(
      Layer.merge(Layer.scopedDiscard(stopGracefully(server, deadlines.stop)))
    )
  })
)

/** The HTTP side: the API with its conventions and docs on a listening socket. */
export const ServerLive = HttpApiBuilder.serve().pipe(
  Layer.provide([Conventions, OpenApiJson, Docs, ResetPasswordPage]),
  Layer.provide(HttpRouter.setRouterConfig(routerConfig)),
  Layer.provideMerge(Listen)
)
