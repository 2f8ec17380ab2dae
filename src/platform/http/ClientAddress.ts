import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"

/** The socket's address, or with TRUST_PROXY the one that the nearest proxy saw, which it appends last. */
export const addressOf = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean) => {
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  return forwarded || Option.getOrElse(request.remoteAddress, () => "unknown")
}
