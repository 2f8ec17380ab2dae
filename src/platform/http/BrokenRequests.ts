import { randomUUID } from "node:crypto"
import type { Server } from "node:http"

const answers: Readonly<Record<string, readonly [status: number, reason: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request did not arrive in time."]
}

const fallback = [400, "Bad Request", "This is not a valid HTTP request."] as const

/** Answers what node refuses before there is a request, with the same body as every other error. */
export const refuseBrokenRequests = (server: Server) =>
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
    const [status, reason, message] = answers[error.code ?? ""] ?? fallback
    const requestId = randomUUID()
    const body = JSON.stringify({ status, error: reason, message, requestId })
    return socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
    )
  })
