import type { Socket as NetSocket } from "node:net"
import type { Socket } from "@effect/platform"
import { Context, Deferred, Effect, FiberSet, Layer, Schedule } from "effect"
import { ServiceUnavailable, type TooManyRequests } from "../../schema/Errors.ts"
import { noLongerThan } from "../platform/NoLongerThan.ts"
import { Settings } from "../platform/Settings.ts"
import { sampleBy } from "../platform/telemetry/Sampling.ts"
import { hubConnections } from "../platform/telemetry/ServiceMetrics.ts"
import type { Admitted } from "./Admission.ts"
import { type Connection, HubConnections } from "./HubConnections.ts"
import { makeHubPlaces } from "./HubPlaces.ts"
import { goodbye } from "./HubProtocol.ts"

const sentAwayWithin = "3 seconds"

/** The open connections of this node. */
export class HubSockets extends Context.Tag("casework/HubSockets")<
  HubSockets,
  {
    /** Whether there is a place for one more connection. */
    readonly check: (admitted: Admitted, address: string) => Effect.Effect<void, TooManyRequests>
    /** Comes back when the socket is open; the connection lives on by itself. */
    readonly open: <E>(
      upgrade: Effect.Effect<Socket.Socket, E>,
      below: NetSocket,
      admitted: Admitted,
      address: string
    ) => Effect.Effect<void, E | ServiceUnavailable | TooManyRequests>
    /** Asks everybody to come back later, and takes nobody more. */
    readonly sendAway: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    HubSockets,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const hub = yield* HubConnections
  const places = makeHubPlaces((yield* Settings).hubLimits)
  const connections = new Set<Connection>()
  const fibers = yield* FiberSet.make()
  let isStopping = false

  yield* Effect.suspend(() => Effect.forEach(connections, ({ tick }) => tick, { discard: true })).pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("could not look after the hub's connections", cause)),
    Effect.schedule(Schedule.spaced("1 second")),
    Effect.forkScoped
  )

  yield* sampleBy(
    Effect.sync(() => {
      const isRep = ({ client }: Connection) => client.caller._tag === "Representative"
      const representatives = [...connections].filter(isRep).length
      hubConnections.set(representatives, { who: "representative" })
      hubConnections.set(connections.size - representatives, { who: "visitor" })
    })
  )

  return HubSockets.of({
    check: ({ caller }, address) => places.check({ caller, address }),

    open: (upgrade, below, admitted, address) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          if (isStopping) return yield* ServiceUnavailable.of("The service is stopping. Connect again.")
          const leave = yield* places.take({ caller: admitted.caller, address })
          const opened = yield* Deferred.make<void>()
          const onOpen = (connection: Connection) =>
            Effect.acquireRelease(
              Effect.sync(() => connections.add(connection)),
              () => Effect.sync(() => connections.delete(connection))
            ).pipe(Effect.zipRight(Deferred.succeed(opened, undefined)), Effect.asVoid)
          const begin = Effect.gen(function* () {
            const socket = yield* upgrade
            // It went away while its token was looked up.
            if (below.destroyed || !below.writable) return yield* Effect.interrupt
            return yield* FiberSet.run(fibers, Effect.ensuring(hub.serve(socket, below, admitted, onOpen), leave))
          })
          yield* restore(begin).pipe(Effect.onError(() => leave))
          yield* restore(Deferred.await(opened))
        })
      ).pipe(Effect.withSpan("HubSockets.open")),

    sendAway: Effect.suspend(() => {
      isStopping = true
      for (const { client } of connections) client.close(goodbye({ allowReconnect: true }))
      return noLongerThan(sentAwayWithin)(FiberSet.awaitEmpty(fibers))
    })
  })
})

/** Before the routes stop answering, so that nobody who comes back meanwhile is left without an answer. */
export const HubFarewell = Layer.scopedDiscard(
  Effect.flatMap(HubSockets, ({ sendAway }) => Effect.addFinalizer(() => sendAway))
)
