import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

const waiting = new WeakMap<Socket, Set<() => void>>()

const waitingOn = (socket: Socket) => {
  const known = waiting.get(socket)
  if (known !== undefined) return known
  const all = new Set<() => void>()
  waiting.set(socket, all)
  socket.once("close", () => {
    for (const gone of all) gone()
  })
  return all
}

/**
 * Calls `gone` when the response or its connection ends. Node does not notify a response that waits behind another one,
 * and keeps what is written to it forever. One socket listener serves all responses of a connection.
 */
export const onConnectionEnd = (socket: Socket, to: ServerResponse, gone: () => void) => {
  const all = waitingOn(socket)
  all.add(gone)
  to.on("close", () => {
    all.delete(gone)
    gone()
  })
}
