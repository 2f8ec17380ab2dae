import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"
import ipaddr from "ipaddr.js"

/** Some proxies write the port behind it: then every connection would be a caller of its own. */
const withoutPort = (address: string | undefined) =>
  /^\[(.+)\](?::\d+)?$/.exec(address ?? "")?.[1] ?? address?.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1")

/** The socket's address, or with TRUST_PROXY the one that the nearest proxy saw, which it appends last. */
export const addressOf = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean) => {
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  return withoutPort(forwarded) || Option.getOrElse(request.remoteAddress, () => "unknown")
}

/** What is counted as one caller: of IPv6, where anybody has a whole network of addresses, that network. */
export const networkOf = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean) => {
  const address = addressOf(request, trustProxy)
  if (!address.includes(":") || !ipaddr.isValid(address)) return address
  const known = ipaddr.process(address)
  return known instanceof ipaddr.IPv6
    ? `${known.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : known.toString()
}
