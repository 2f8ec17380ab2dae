import type { Server } from "node:http"
import { HttpApi, HttpApiBuilder, HttpServer } from "@effect/platform"
import { Context, Effect, Layer } from "effect"
import { type CallerOf, makeConventions } from "./Conventions.ts"
import { handlersIn } from "./Handlers.ts"
import { answerUpgrade, makeListener } from "./Listener.ts"
import type { Routes } from "./Routes.ts"

/** Node's own server, below the library's. */
export class NodeServer extends Context.Tag("casework/NodeServer")<NodeServer, Server>() {}

/** Serves the API and everything else in its router, following the conventions. */
export const serve = (routes: Routes, callerOf: CallerOf) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      // Building the API adds the handlers of all its groups to the router.
      yield* HttpApi.Api
      const begin = yield* makeConventions(routes, handlersIn(yield* HttpApiBuilder.Router.router), callerOf)
      const server = yield* NodeServer
      const library = yield* HttpServer.HttpServer
      const before = server.listeners("request")
      yield* library.serve(answerUpgrade(begin))
      // The library keeps only the upgrades.
      const [added, ...others] = server.listeners("request").filter((known) => !before.includes(known))
      if (added === undefined || others.length > 0) {
        return yield* Effect.dieMessage(
          "The server of @effect/platform-node no longer listens to requests in one place"
        )
      }
      Reflect.apply(server.off, server, ["request", added])
      const listener = yield* makeListener(begin)
      server.on("request", listener)
      yield* Effect.addFinalizer(() => Effect.sync(() => server.off("request", listener)))
    })
  ).pipe(Layer.provide(HttpApiBuilder.Router.Live))
