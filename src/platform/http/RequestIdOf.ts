import { randomUUID } from "node:crypto"
import type { HttpServerRequest } from "@effect/platform"

/** The caller's own X-Request-Id when it is safe to repeat, otherwise a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest) => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[A-Za-z0-9._:+/=@-]{1,128}$/.test(given) ? given : randomUUID()
}
