import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"

/** Builds an error response in the common shape, for when the routes cannot respond themselves. */
export const plainAnswer = (status: number, message: string) => {
  const reason = STATUS_CODES[status] ?? "Error"
  const requestId = randomUUID()
  const body = JSON.stringify({ status, error: reason, message, requestId })
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    Connection: "close"
  }
  return { status, reason, headers, body }
}
