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
 * Says when a connection has ended before an answer that goes there has. Node tells an answer nothing while it waits behind
 * another one, and what is written to it then is kept for ever. One listener for all that a connection asks.
 */
export const onConnectionEnd = (socket: Socket, to: ServerResponse, gone: () => void) => {
  const all = waitingOn(socket)
  all.add(gone)
  to.on("close", () => {
    all.delete(gone)
    gone()
  })
}
