import { isIP, type LookupFunction } from "node:net"
import { HttpClient } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, FiberSet, Layer } from "effect"
import { Agent, buildConnector } from "undici"
import { Settings } from "../settings/Settings.ts"
import { isPublicAddress } from "./AddressRules.ts"
import { makeSharedLookup, type Resolve } from "./NameLookup.ts"
import { type AllowedHost, isAllowed, normalHost } from "./OutboundAllow.ts"

/** A host leads to an address that the service does not call. Nothing was sent. */
export class AddressRefused extends Error {
  constructor(readonly host: string) {
    super(`${host} resolves to a private, local or reserved address`)
  }
}

type Fork = (effect: Effect.Effect<void>) => void

/** A lookup for one connection: every address that it returns to the socket has been checked. */
const checkedLookup =
  (resolve: Resolve, fork: Fork, admits: (address: string) => boolean): LookupFunction =>
  (hostname, { all }, callback) => {
    fork(
      Effect.match(resolve(hostname), {
        onFailure: (error) => callback(error, "", 0),
        onSuccess: (addresses) => {
          const [first] = addresses
          if (first === undefined || !addresses.every(({ address }) => admits(address))) {
            callback(new AddressRefused(hostname), "", 0)
          } else if (all === true) callback(null, [...addresses])
          else callback(null, first.address, first.family)
        }
      })
    )
  }

/** Opens sockets to public addresses and to what OUTBOUND_ALLOW lists, and to nothing else. */
const guardedConnector =
  (allowed: ReadonlyArray<AllowedHost>, resolve: Resolve, fork: Fork): buildConnector.connector =>
  (options, callback) => {
    const host = normalHost(options.hostname)
    const port = Number(options.port || (options.protocol === "https:" ? 443 : 80))
    const admits = isAllowed(allowed, host, port)
      ? () => true
      : (address: string) => isPublicAddress(address) || isAllowed(allowed, address, port)
    // A socket does not look up an address that is written out.
    if (isIP(host) !== 0 && !admits(host)) return callback(new AddressRefused(host), null)
    const connect = buildConnector({ lookup: checkedLookup(resolve, fork, admits) })
    return connect(options, (error, socket) => {
      if (error !== null) return callback(error, null)
      if (admits(socket.remoteAddress ?? "")) return callback(null, socket)
      socket.destroy()
      return callback(new AddressRefused(host), null)
    })
  }

/**
 * An HttpClient for addresses that customers choose. The guard sits where the socket is opened, so that neither a name
 * that changes its address nor a redirect gets around it. Tracing is off: it would tell other services our ids, and our
 * logs their secrets.
 */
export class GuardedHttpClient extends Context.Tag("casework/GuardedHttpClient")<
  GuardedHttpClient,
  HttpClient.HttpClient
>() {
  static readonly layer = Layer.scoped(
    GuardedHttpClient,
    Effect.gen(function* () {
      const { outboundAllow } = yield* Settings
      const localNames = {
        isLocal: (hostname: string) =>
          !hostname.includes(".") || outboundAllow.some(({ host }) => host === normalHost(hostname)),
        // A name in the hosts file may lead to an address that is listed.
        mayBeMore: outboundAllow.length > 0
      }
      const connect = guardedConnector(
        outboundAllow,
        yield* makeSharedLookup(localNames),
        yield* FiberSet.makeRuntime<never>()
      )
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ connect })),
        (dispatcher) => Effect.promise(() => dispatcher.destroy())
      )
      return NodeHttpClient.makeUndici(agent).pipe(HttpClient.withTracerDisabledWhen(() => true))
    })
  )
}
