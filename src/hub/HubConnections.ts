import type { Socket as NetSocket } from "node:net"
import type { Socket } from "@effect/platform"
import { Context, Effect, Fiber, Layer, Scope } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import type { Admitted } from "./Admission.ts"
import { makeClientOutbox } from "./ClientOutbox.ts"
import { makeConversation } from "./Conversation.ts"
import { type HubClient, HubClients } from "./HubClients.ts"
import { HubMethods, type Session } from "./HubMethods.ts"
import { completionOf, failureOf, type Invocation } from "./HubProtocol.ts"
import { PresenceBook } from "./PresenceBook.ts"
import { makeWaitingCalls } from "./WaitingCalls.ts"

export interface Connection {
  readonly client: HubClient
  /** Applies passing time to the connection; called about once a second. Never waits. */
  readonly tick: () => void
}

/** Serves a connection from its opening to its end. */
export class HubConnections extends Context.Tag("casework/HubConnections")<
  HubConnections,
  {
    readonly serve: (
      socket: Socket.Socket,
      /** The underlying TCP socket: it shows how much is buffered, and can be paused and destroyed. */
      below: NetSocket,
      admitted: Admitted,
      /** Resources that `onOpen` acquires are released when the connection has ended. */
      onOpen: (connection: Connection) => Effect.Effect<void, never, Scope.Scope>
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    HubConnections,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const clients = yield* HubClients
  const methods = yield* HubMethods
  const presence = yield* PresenceBook
  const now = yield* steadyClock

  /** The response to a client's call. */
  const answer = (session: Session, { arguments: given, invocationId, target, wantsStream }: Invocation) =>
    Effect.suspend(() =>
      wantsStream ? BadRequest.of("No method supports streaming.") : methods.call(session, target, given)
    ).pipe(
      Effect.match({
        onSuccess: (result) => (invocationId === null ? "" : completionOf(invocationId, result)),
        onFailure: ({ message }) => (invocationId === null ? "" : failureOf(invocationId, message))
      }),
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logError("a call of a hub client failed", cause),
          invocationId === null ? "" : failureOf(invocationId, "An unexpected error occurred. Try again.")
        )
      )
    )

  const answerTo = (client: HubClient) => {
    const session: Session = { client, chat: undefined, typedAt: new Map() }
    return (call: Invocation) =>
      Effect.map(answer(session, call), (text) => {
        if (text !== "") client.send(text)
      })
  }

  const enter = (client: HubClient) =>
    Effect.suspend(() => {
      clients.add(client)
      return client.caller._tag === "Representative" ? presence.entered(client.caller) : Effect.void
    })

  const leave = (client: HubClient) =>
    Effect.suspend(() => {
      clients.remove(client)
      return client.caller._tag === "Representative" ? presence.left(client.caller) : Effect.void
    })

  // `leave` must not run without `enter`: another connection of the same representative would be taken for gone.
  const attend = (client: HubClient) => Effect.acquireRelease(enter(client), () => leave(client))

  return HubConnections.of({
    serve: (socket, below, admitted, onOpen) =>
      Effect.gen(function* () {
        const outbox = yield* makeClientOutbox(socket, below)
        const calls = yield* makeWaitingCalls(below)
        const { client, guard, hear, tick } = makeConversation(admitted, below, outbox, calls, now)

        const respond = answerTo(client)
        // Calls that a client made before it went are still carried out, unless the server ended the connection.
        const calling = yield* Effect.fork(calls.doAll((call) => (outbox.hasEnded() ? Effect.void : respond(call))))
        yield* Effect.forkScoped(Effect.ignore(outbox.writeAll))
        below.on("data", guard)

        const onData = (data: string | Uint8Array) => {
          hear(data)
          return outbox.findSocket()
        }
        const connection = yield* Effect.scope
        const talk = Effect.flatMap(Effect.scope, (attendance) =>
          socket.runRaw(onData, {
            // The connection opens before its presence is stored: messages of a client that is gone by then are still
            // handled.
            onOpen: Effect.zipRight(
              Scope.extend(onOpen({ client, tick }), connection),
              Scope.extend(attend(client), attendance)
            )
          })
        )
        yield* talk.pipe(Effect.scoped, Effect.ignore)
        calls.end()
        yield* Fiber.join(calling)
      }).pipe(Effect.scoped)
  })
})
