import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"

/** An error in the one shape, for what is answered before or after the routes can. */
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
