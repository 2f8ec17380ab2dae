import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Effect } from "effect"
import { plainAnswer } from "./PlainAnswer.ts"

/** The open connections, each with the number of its requests under way; an upgraded one counts until it closes. */
const countRequests = (server: Server) => {
  const underWay = new Map<Socket, number>()
  const add = (socket: Socket, count: number) => underWay.set(socket, (underWay.get(socket) ?? 0) + count)
  server.on("connection", (socket) => {
    add(socket, 0)
    socket.once("close", () => underWay.delete(socket))
  })
  server.on("request", ({ socket }, response) => {
    add(socket, 1)
    response.once("close", () => underWay.has(socket) && add(socket, -1))
  })
  server.on("upgrade", ({ socket }) => {
    add(socket, 1)
    // Nothing listens for errors until the other protocol begins: a client that leaves before then would end the
    // process.
    socket.on("error", () => undefined)
  })
  return underWay
}

/**
 * When the scope closes, idle connections end at once and requests under way may finish until the deadline; then every
 * connection is cut, including upgraded ones, which Node no longer counts as its own.
 */
export const stopGracefully = (server: Server, deadline: number) =>
  Effect.gen(function* () {
    const underWay = countRequests(server)
    const endIdle = () => {
      for (const [socket, requests] of underWay) if (requests === 0) socket.end(() => socket.destroy())
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (!server.listening) return
        // A client may still send requests on a kept-alive connection: after a 503 it can try another node.
        server.on("request", (_, response) => {
          const { body, headers, status } = plainAnswer(503, "The service is stopping. Send the request again.")
          response.writeHead(status, { ...headers, "Retry-After": "1" }).end(body)
        })
        const idle = setInterval(endIdle, 50)
        const cut = setTimeout(() => {
          for (const socket of underWay.keys()) socket.destroy()
        }, deadline)
        server.once("close", () => {
          clearInterval(idle)
          clearTimeout(cut)
        })
        endIdle()
      })
    )
  })
