import type { HttpClientError, HttpClientRequest } from "@effect/platform"
import { Data } from "effect"
import { AddressRefused } from "./Outbound.ts"

/** The guard refused the address; nothing was sent to it. */
export class CallBlocked extends Data.TaggedError("CallBlocked")<{ readonly message: string }> {}

/** The other side could not be reached, or its response could not be used. */
export class CallFailed extends Data.TaggedError("CallFailed")<{ readonly message: string }> {}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name does not exist",
  EAI_AGAIN: "its name could not be looked up",
  ECONNREFUSED: "it refuses connections",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ETIMEDOUT: "it does not respond",
  UND_ERR_CONNECT_TIMEOUT: "it does not respond",
  UND_ERR_HEADERS_OVERFLOW: "its response has too many headers"
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

const isCertificateProblem = (code: string) => /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code)

/** The host that is called, without the path and the query, which may hold secrets. */
export const hostOf = (request: HttpClientRequest.HttpClientRequest) =>
  URL.canParse(request.url) ? new URL(request.url).host : "The address"

/** Describes a failed call to the caller of the API. */
export const callError = (error: HttpClientError.HttpClientError): CallBlocked | CallFailed => {
  const host = hostOf(error.request)
  if (error.cause instanceof AddressRefused) {
    return new CallBlocked({ message: `Calls to ${host} are not allowed: ${error.cause.message}.` })
  }
  if (error._tag === "ResponseError") return new CallFailed({ message: `The response of ${host} could not be read.` })
  const code = codeOf(error.cause)
  const reason =
    reasons[code] ?? (isCertificateProblem(code) ? "its TLS certificate is not accepted" : "the call failed")
  return new CallFailed({ message: `${host} could not be reached: ${reason}.` })
}
