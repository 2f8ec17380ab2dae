import type { Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { plainAnswer } from "./PlainAnswer.ts"

const answers: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request's address and headers are too large: together they must not exceed 16 KiB."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions of the request are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time. Send it again."]
}

const fallback = [400, "This is not a valid HTTP request."] as const

const asText = ({ body, headers, reason, status }: ReturnType<typeof plainAnswer>) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${reason}`, ...lines, "", body].join("\r\n")
}

/** Responds to what Node refuses before there is a request, with the same body as every other error. */
export const refuseBrokenRequests = (server: Server) => {
  const underWay = new WeakMap<Duplex, ServerResponse>()
  return server
    .on("request", (request, response) => underWay.set(request.socket, response))
    .on("checkExpectation", (_, response) => {
      const { body, headers, status } = plainAnswer(417, "The only supported value of Expect is 100-continue.")
      response.writeHead(status, headers).end(body)
    })
    .on("clientError", (error: Error & { readonly code?: string }, socket) => {
      const begun = underWay.get(socket)
      const answering = begun?.headersSent === true && !begun.writableFinished
      // On a connection that was opened in advance, a response would look like the one to its first request.
      const silent = socket instanceof Socket && socket.bytesRead === 0
      if (!socket.writable || silent || answering || error.code === "ECONNRESET") return socket.destroy()
      const [status, message] = answers[error.code ?? ""] ?? fallback
      return socket.end(asText(plainAnswer(status, message)))
    })
}
