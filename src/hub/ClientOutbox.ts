import type { Socket as NetSocket } from "node:net"
import { Socket } from "@effect/platform"
import { Chunk, Effect, Option, Queue } from "effect"
import { untilDrained } from "../platform/concurrency/Drained.ts"

// How much may wait for a client that does not read: in characters, and in bytes in the socket.
const mostCharacters = 2 * 1024 * 1024
const mostBuffered = 64 * 1024

// How many messages are written together.
const mostTogether = 256

const goodbyeWithin = "2 seconds"

/** The ordered output to one client. Adding to it never waits. */
export const makeClientOutbox = (socket: Socket.Socket, below: NetSocket) =>
  Effect.gen(function* () {
    const write = yield* socket.writer
    const waiting = yield* Queue.unbounded<string>()
    let charactersWaiting = 0
    let farewell: string | undefined
    let webSocket: globalThis.WebSocket | undefined

    // While nothing waits, a new text is sent at once. A client that reads too slowly is cut off and may reconnect.
    const send = (text: string) => {
      const goesAtOnce = charactersWaiting === 0 && text !== "" && below.writableLength <= mostBuffered
      if (goesAtOnce && webSocket !== undefined) return webSocket.send(text)
      charactersWaiting += text.length
      if (charactersWaiting > mostCharacters) return void below.destroy()
      return void waiting.unsafeOffer(text)
    }

    const findSocket = Effect.map(Effect.serviceOption(Socket.WebSocket), (found) => {
      webSocket = Option.getOrUndefined(found)
    })

    const sayGoodbye = Effect.gen(function* () {
      const rest = Chunk.join(yield* Queue.takeAll(waiting), "")
      if (rest + farewell !== "") yield* write(rest + farewell)
      yield* write(new Socket.CloseEvent(1000))
      yield* Effect.sleep(goodbyeWithin)
      below.destroy()
    })

    return {
      send,

      /** Sends a last text and ends the connection. If there is a last text already, that one is kept. */
      end: (text: string) => {
        farewell ??= text
        // An empty text wakes the writer, which then sees that the connection is to end.
        if (below.writableLength > mostBuffered) below.destroy()
        else send("")
      },
      hasEnded: () => farewell !== undefined,

      /** Finds the WebSocket, so that texts which need not wait are sent on it directly; undefined once it is known. */
      findSocket: () => (webSocket === undefined ? findSocket : undefined),

      /** Writes waiting texts until the connection ends. */
      writeAll: Effect.gen(function* () {
        while (farewell === undefined) {
          const texts = Chunk.join(yield* Queue.takeBetween(waiting, 1, mostTogether), "")
          if (texts !== "") yield* write(texts)
          charactersWaiting -= texts.length
          yield* untilDrained(below, () => !below.destroyed && below.writableLength > mostBuffered)
        }
        yield* sayGoodbye
      })
    }
  })

export type ClientOutbox = Effect.Effect.Success<ReturnType<typeof makeClientOutbox>>
