import { randomUUID } from "node:crypto"
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { Negotiation } from "../../schema/Hub.ts"
import { networkOf } from "../platform/http/ClientAddress.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { Admission } from "./Admission.ts"
import { HubSockets } from "./HubSockets.ts"

/** The library never returns from a handshake that it refuses, so it is only given those that it accepts. */
const canBeUpgraded = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  method === "GET" &&
  headers["upgrade"]?.toLowerCase() === "websocket" &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "") &&
  headers["sec-websocket-version"] === "13" &&
  /^[\w.-]+$/.test(headers["sec-websocket-protocol"] ?? "none")

/** The connection may go to any node: nothing is kept between the two requests. */
const negotiate = (url: string) => {
  const version = /[?&]negotiateVersion=[1-9]\d*(?:&|$)/i.test(url) ? 1 : 0
  return new Negotiation({
    connectionId: randomUUID(),
    ...(version === 1 && { connectionToken: randomUUID() }),
    negotiateVersion: version,
    availableTransports: [{ transport: "WebSockets", transferFormats: ["Text"] }]
  })
}

/** The hub's two routes. They are not part of the API, since a connection is not a request with a response. */
export const HubRoutes = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const admission = yield* Admission
    const sockets = yield* HubSockets
    const { trustedProxies } = yield* Settings

    const negotiated = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const address = networkOf(request, trustedProxies)
      yield* sockets.check(yield* admission.admit(request, address), address)
      return yield* Effect.orDie(HttpServerResponse.schemaJson(Negotiation)(negotiate(request.url)))
    })

    const connected = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const address = networkOf(request, trustedProxies)
      const admitted = yield* admission.admit(request, address)
      if (!canBeUpgraded(request)) return yield* BadRequest.of("Connect with WebSocket version 13.")
      const below = NodeHttpServerRequest.toIncomingMessage(request).socket
      yield* sockets.open(request.upgrade, below, admitted, address)
      return HttpServerResponse.empty({ status: 101 })
    })

    yield* router.post("/chatHub/negotiate", negotiated)
    yield* router.get("/chatHub", connected)
  })
)
