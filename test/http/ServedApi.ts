import { createServer } from "node:http"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { RequestFibers } from "../../src/platform/http/RequestFibers.ts"
import { makeRoutes } from "../../src/platform/http/Routes.ts"
import { NodeServer, serve } from "../../src/platform/http/Serve.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const Listening = Layer.unwrapEffect(
  Effect.sync(() => {
    const server = createServer({ keepAliveTimeout: 65_000 })
    return Layer.merge(
      NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" }),
      Layer.succeed(NodeServer, server)
    )
  })
)

/** A test's own API, served by the service's conventions but without any of its routes. */
export const servedApi = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, Built, Failed, Needed>(
  api: HttpApi.HttpApi<Id, Groups, E>,
  Handlers: Layer.Layer<Built, Failed, Needed>,
  logging: Layer.Layer<never> = Logger.minimumLogLevel(LogLevel.None)
) =>
  serve(makeRoutes(api, []), () => Effect.succeedNone).pipe(
    Layer.provide(HttpApiBuilder.api(api).pipe(Layer.provide(Handlers))),
    Layer.provideMerge(Listening),
    Layer.provide(RequestFibers.layer),
    Layer.provide([TestDatabase, Stopping.layer]),
    Layer.provide(settingsLayer({})),
    Layer.provide(logging)
  )
