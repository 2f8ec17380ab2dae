import { createServer } from "node:http"
import { HttpApiBuilder, type HttpServerRequest, HttpServerResponse, OpenApi } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer, Option } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { callerOf } from "./auth/Policies.ts"
import { ResetPasswordPage } from "./auth/ResetPasswordPage.ts"
import { Tokens } from "./auth/Tokens.ts"
import { Docs } from "./Docs.ts"
import { HubRoutes } from "./hub/HubRoutes.ts"
import { HubFarewell, HubSockets } from "./hub/HubSockets.ts"
import { Pages, pagePaths } from "./pages/Pages.ts"
import { lazily } from "./platform/caching/Lazily.ts"
import { Stopping } from "./platform/concurrency/Stopping.ts"
import { refuseBrokenRequests } from "./platform/http/BrokenRequests.ts"
import { Deadlines } from "./platform/http/Deadlines.ts"
import { stopGracefully } from "./platform/http/GracefulStop.ts"
import { ignoreOtherProtocols } from "./platform/http/OtherProtocols.ts"
import { RequestFibers } from "./platform/http/RequestFibers.ts"
import { makeRoutes, plainUrl } from "./platform/http/Routes.ts"
import { NodeServer, serve } from "./platform/http/Serve.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { RootRedirect } from "./RootRedirect.ts"

const hubPath = "/chatHub"

const routes = makeRoutes(
  CaseworkApi,
  ["/", "/docs", "/openapi.json", "/reset-password", hubPath, ...pagePaths],
  [`${hubPath}/negotiate`]
)

const takesSockets = (method: string, url: string) => routes.find(method, plainUrl(url))?.route.path === hubPath

const openApiJson = lazily(() => HttpServerResponse.unsafeJson(OpenApi.fromApi(CaseworkApi)))

const OpenApiJson = HttpApiBuilder.Router.use((router) => router.get("/openapi.json", Effect.sync(openApiJson)))

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
        // Otherwise node itself would reject a request without a Host header, with an empty 400.
        requireHostHeader: false
      }),
      takesSockets
    )
    // A client that never reads its response must not hold its connection open forever.
    server.setTimeout(deadlines.stalled)
    refuseBrokenRequests(server)
    return NodeHttpServer.layer(() => server, { host, port }).pipe(
      Layer.merge(Layer.scopedDiscard(stopGracefully(server, deadlines.stop))),
      Layer.merge(Layer.succeed(NodeServer, server))
    )
  })
)

/** The caller of a request, for what all routes have in common. */
const knownCaller = (tokens: typeof Tokens.Service) => (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(
    callerOf(tokens, request),
    Option.map((caller) => ({
      customerID: caller.customerID,
      // The permissions of a phone call depend on its channel.
      role: caller._tag === "Representative" ? caller.role : `${caller._tag} ${caller.channelID}`,
      name:
        caller._tag === "Representative"
          ? `representative ${caller.customerRepID}`
          : `phone ${caller.channelID} ${caller.phoneNumber}`
    }))
  )

const Serve = Layer.unwrapEffect(Effect.map(Tokens, (tokens) => serve(routes, knownCaller(tokens))))

/** On shutdown, readiness fails first; requests are still served until load balancers have noticed. */
const Drain = Layer.scopedDiscard(
  Effect.gen(function* () {
    const stopping = yield* Stopping
    const { drainSeconds } = yield* Settings
    yield* Effect.addFinalizer(() => Effect.zipRight(stopping.begin, Effect.sleep(Duration.seconds(drainSeconds))))
  })
)

/** Listens only once everything else is built: an earlier request would find no handler. */
const Listening = Serve.pipe(Layer.provideMerge(Listen), Layer.provide(RequestFibers.layer))

/** The HTTP side: the API with its conventions and docs on a listening socket. */
export const ServerLive = Drain.pipe(
  Layer.provideMerge(HubFarewell),
  Layer.provideMerge(Listening),
  Layer.provide([RootRedirect, OpenApiJson, Docs, ResetPasswordPage, HubRoutes, Pages]),
  Layer.provide(HubSockets.layer)
)
