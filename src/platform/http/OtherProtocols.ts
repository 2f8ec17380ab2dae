import { IncomingMessage, type Server } from "node:http"
import { Socket } from "node:net"

const hopByHop = /^(?:connection|upgrade|http2-settings)$/i

/** The bytes of the request, without the offer of another protocol. */
const withoutOffer = (request: IncomingMessage) => {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2)
    if (!hopByHop.test(name)) lines.push(`${name}: ${value}`)
  }
  if (/\bclose\b/i.test(request.headers.connection ?? "")) lines.push("Connection: close")
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
}

/**
 * Some clients offer HTTP/2 with their first request, or a WebSocket on any route. Once there is an upgrade listener,
 * Node takes such a request for an upgrade and loses its body; so if the offer is not for one of our sockets, the
 * connection is restarted without it.
 */
export const ignoreOtherProtocols = (server: Server, takesSockets: (method: string, url: string) => boolean) => {
  const isSocket = ({ headers, method = "", url = "" }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === "websocket" && takesSockets(method, url)
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...values: Array<unknown>) => {
    const [request, socket, head] = values
    if (
      event !== "upgrade" ||
      !(request instanceof IncomingMessage) ||
      !(socket instanceof Socket) ||
      isSocket(request)
    ) {
      return emit(event, ...values)
    }
    socket.unshift(Buffer.concat([withoutOffer(request), Buffer.isBuffer(head) ? head : Buffer.alloc(0)]))
    return emit("connection", socket)
  }
  return server
}
