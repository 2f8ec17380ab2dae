import type { Socket as NetSocket } from "node:net"
import { Socket } from "@effect/platform"
import { Cause, Chunk, Context, Effect, Fiber, Layer, Option, Queue, Scope } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { untilDrained } from "../platform/Drained.ts"
import { steadyClock } from "../platform/SteadyClock.ts"
import type { Admitted } from "./Admission.ts"
import { type ConnectionState, elapse, opened, receive, type Transition } from "./ConnectionState.ts"
import { type HubCaller, type HubClient, HubClients } from "./HubClients.ts"
import { HubMethods, type Session } from "./HubMethods.ts"
import { completionOf, failureOf, goodbye, type Invocation } from "./HubProtocol.ts"
import { PresenceBook } from "./PresenceBook.ts"
import { largestRecord } from "./RecordFraming.ts"

// How much may wait for a client that does not read: characters, and bytes in the socket.
const mostCharacters = 2 * 1024 * 1024
const mostBuffered = 64 * 1024

// Messages that are written in one go.
const mostTogether = 256

// With so many calls waiting the socket is not read, until half of them are done.
const mostCalls = 16

// A message has up to 32 KB; a piece of the next one may have come with its end.
const longestUnfinished = largestRecord + 64 * 1024

const goodbyeWithin = "2 seconds"

export interface Connection {
  readonly client: HubClient
  /** What time makes of it; asked about once a second. Waits for nothing, so that nobody waits behind it. */
  readonly tick: () => void
}

/** Carries one connection from its opening to its end. */
export class HubConnections extends Context.Tag("casework/HubConnections")<
  HubConnections,
  {
    readonly serve: (
      socket: Socket.Socket,
      /** The connection that carries it: it shows how much waits, and can be held up and cut. */
      below: NetSocket,
      admitted: Admitted,
      /** What it acquires is released when the connection has ended. */
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

  /** What the client gets back for a call. */
  const answer = (session: Session, { arguments: given, invocationId, target, wantsStream }: Invocation) =>
    Effect.suspend(() =>
      wantsStream ? BadRequest.of("No method answers a stream.") : methods.call(session, target, given)
    ).pipe(
      Effect.match({
        onSuccess: (result) => (invocationId === null ? "" : completionOf(invocationId, result)),
        onFailure: ({ message }) => (invocationId === null ? "" : failureOf(invocationId, message))
      }),
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logError("a call of a hub client failed", Cause.squash(cause)),
          invocationId === null ? "" : failureOf(invocationId, "Something unexpected happened. Try again.")
        )
      )
    )

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

  return HubConnections.of({
    serve: (socket, below, { caller, farewell: reason, isStillGood }, onOpen) =>
      Effect.gen(function* () {
        const write = yield* socket.writer
        const outbox = yield* Queue.unbounded<string>()
        const calls = yield* Queue.unbounded<Invocation | undefined>()
        let state: ConnectionState = opened(now())
        let farewell: string | undefined
        let callsWaiting = 0
        let charactersWaiting = 0
        let finishedAt = below.bytesRead

        let webSocket: globalThis.WebSocket | undefined

        // While nothing waits, what comes need not. Who does not read as fast as things happen is cut off, and may come back.
        const send = (text: string) => {
          const goesAtOnce = charactersWaiting === 0 && text !== "" && below.writableLength <= mostBuffered
          if (goesAtOnce && webSocket !== undefined) return webSocket.send(text)
          charactersWaiting += text.length
          if (charactersWaiting > mostCharacters) return void below.destroy()
          return void outbox.unsafeOffer(text)
        }
        const close = (text: string) => {
          farewell ??= text
          state = { ...state, phase: "Closed" }
          // An empty text wakes the writer, which then sees that the connection is to end.
          if (below.writableLength > mostBuffered) below.destroy()
          else send("")
        }
        const client = clientOf(caller, (text) => state.phase === "Open" && send(text), close)
        const session: Session = { client, chat: undefined, typedAt: new Map() }

        const apply = (transition: Transition) => {
          state = transition.state
          for (const output of transition.outputs) {
            if (output._tag === "Send") send(output.text)
            else if (output._tag === "Close") close(output.text)
            else {
              callsWaiting += 1
              calls.unsafeOffer(output.invocation)
            }
          }
          if (callsWaiting >= mostCalls) below.pause()
        }

        const keepSocket = Effect.map(Effect.serviceOption(Socket.WebSocket), (found) => {
          webSocket = Option.getOrUndefined(found)
        })

        const hear = (data: string | Uint8Array) => {
          finishedAt = below.bytesRead
          if (typeof data === "string") apply(receive(state, data, now()))
          else close(goodbye({ error: "Send text, not binary frames." }))
          return webSocket === undefined ? keepSocket : undefined
        }

        // A frame is handed over when it is complete: who sends one without end is cut off here.
        const guard = () => below.bytesRead - finishedAt > longestUnfinished && below.destroy()

        const takeCall = Effect.map(Queue.take(calls), (call) => {
          callsWaiting -= 1
          if (callsWaiting < mostCalls / 2) below.resume()
          return call
        })

        /** One after the other. What a client asked for before it went is still done, unless it was sent away. */
        const callAll: Effect.Effect<void> = Effect.flatMap(takeCall, (call) => {
          if (call === undefined) return Effect.void
          return farewell !== undefined
            ? callAll
            : Effect.zipRight(
                Effect.map(answer(session, call), (text) => text !== "" && client.send(text)),
                callAll
              )
        })

        const sayGoodbye = Effect.gen(function* () {
          const rest = Chunk.join(yield* Queue.takeAll(outbox), "")
          if (rest + farewell !== "") yield* write(rest + farewell)
          yield* write(new Socket.CloseEvent(1000))
          yield* Effect.sleep(goodbyeWithin)
          below.destroy()
        })

        const writeAll: Effect.Effect<void, Socket.SocketError> = Effect.gen(function* () {
          while (farewell === undefined) {
            const texts = Chunk.join(yield* Queue.takeBetween(outbox, 1, mostTogether), "")
            if (texts !== "") yield* write(texts)
            charactersWaiting -= texts.length
            yield* untilDrained(below, () => !below.destroyed && below.writableLength > mostBuffered)
          }
          yield* sayGoodbye
        })

        const tick = () => {
          apply(elapse(state, now()))
          if (!isStillGood()) close(goodbye({ error: reason }))
        }

        const scope = yield* Effect.scope
        const calling = yield* Effect.fork(callAll)
        yield* Effect.forkScoped(Effect.ignore(writeAll))
        below.on("data", guard)
        // Who never entered must not leave: another connection of the same representative would be taken for gone.
        const attend = Effect.acquireRelease(enter(client), () => leave(client))
        const talk = Effect.flatMap(Effect.scope, (attendance) => {
          const begin = Effect.zipRight(Scope.extend(attend, attendance), Scope.extend(onOpen({ client, tick }), scope))
          return socket.runRaw(hear, { onOpen: begin })
        })
        yield* talk.pipe(Effect.scoped, Effect.ignore)
        calls.unsafeOffer(undefined)
        yield* Fiber.join(calling)
      }).pipe(Effect.scoped)
  })
})

const clientOf = (caller: HubCaller, send: (text: string) => unknown, close: (text: string) => void): HubClient => ({
  caller,
  send: (text) => void send(text),
  close
})
