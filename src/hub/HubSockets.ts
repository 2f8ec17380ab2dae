import type { Socket as NetSocket } from "node:net"
import type { Socket } from "@effect/platform"
import { Context, Deferred, Effect, Fiber, FiberSet, Layer, Schedule } from "effect"
import { ServiceUnavailable, type TooManyRequests } from "../../schema/Errors.ts"
import { noLongerThan } from "../platform/concurrency/NoLongerThan.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { sampleBy } from "../platform/telemetry/Sampling.ts"
import { hubConnections } from "../platform/telemetry/ServiceMetrics.ts"
import type { Admitted } from "./Admission.ts"
import { type Connection, HubConnections } from "./HubConnections.ts"
import { makeHubPlaces } from "./HubPlaces.ts"
import { goodbye } from "./HubProtocol.ts"

const sentAwayWithin = "3 seconds"

const closed = (below: NetSocket) =>
  Effect.async<void>((resume) => {
    const onClose = () => resume(Effect.void)
    if (below.destroyed) return onClose()
    below.once("close", onClose)
    return Effect.sync(() => below.off("close", onClose))
  })

/**
 * The library never returns from a handshake whose connection was lost midway, and cannot be interrupted there, so such
 * a handshake is simply not awaited. An open connection ends by itself or is interrupted.
 */
const untilGone = (serve: Effect.Effect<void>, below: NetSocket, isOpen: Effect.Effect<boolean>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const serving = yield* Effect.forkDaemon(Effect.interruptible(serve))
      const goneBefore = Effect.zipRight(closed(below), Effect.whenEffect(Effect.never, isOpen))
      yield* restore(Effect.raceFirst(Fiber.join(serving), goneBefore)).pipe(
        Effect.ensuring(
          Effect.if(isOpen, { onTrue: () => Fiber.interrupt(serving), onFalse: () => Fiber.interruptFork(serving) })
        )
      )
    })
  )

/** The open connections of this node. */
export class HubSockets extends Context.Tag("casework/HubSockets")<
  HubSockets,
  {
    /** Fails unless there is a place for one more connection. */
    readonly check: (admitted: Admitted, address: string) => Effect.Effect<void, TooManyRequests>
    /** Returns when the socket is open; the connection continues in a fiber of its own. */
    readonly open: <E>(
      upgrade: Effect.Effect<Socket.Socket, E>,
      below: NetSocket,
      admitted: Admitted,
      address: string
    ) => Effect.Effect<void, E | ServiceUnavailable | TooManyRequests>
    /** Asks all clients to reconnect later, and accepts no new ones. */
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

  // Separately: a failure with one connection must not keep pings from the others.
  const lookAfter = ({ tick }: Connection) =>
    Effect.catchAllCause(Effect.sync(tick), (cause) => Effect.logWarning("could not check a hub connection", cause))
  yield* Effect.suspend(() => Effect.forEach(connections, lookAfter, { discard: true })).pipe(
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
            // The client disconnected while its token was looked up.
            if (below.destroyed || !below.writable) return yield* Effect.interrupt
            const left = Effect.zipRight(leave, Deferred.interrupt(opened))
            const served = untilGone(hub.serve(socket, below, admitted, onOpen), below, Deferred.isDone(opened))
            return yield* FiberSet.run(fibers, Effect.ensuring(served, left))
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

/** Sends clients away before the routes stop responding: a client that reconnects meanwhile still gets a response. */
export const HubFarewell = Layer.scopedDiscard(
  Effect.flatMap(HubSockets, ({ sendAway }) => Effect.addFinalizer(() => sendAway))
)
