import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"
import ipaddr from "ipaddr.js"

/** Some proxies append the port to the address: with it, every connection would count as a caller of its own. */
const withoutPort = (address: string | undefined) =>
  /^\[(.+)\](?::\d+)?$/.exec(address ?? "")?.[1] ?? address?.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1")

/**
 * The socket's address, or the one that the outermost of our proxies saw: each proxy appends the address of its client.
 */
export const addressOf = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number) => {
  const hops = trustedProxies === 0 ? [] : (request.headers["x-forwarded-for"]?.split(",") ?? [])
  return (
    withoutPort((hops.at(-trustedProxies) ?? hops[0])?.trim()) ||
    Option.getOrElse(request.remoteAddress, () => "unknown")
  )
}

/** What counts as one caller: for IPv6, where every client has a whole network of addresses, that network. */
export const networkOf = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number) => {
  const address = addressOf(request, trustedProxies)
  if (!address.includes(":") || !ipaddr.isValid(address)) return address
  const known = ipaddr.process(address)
  return known instanceof ipaddr.IPv6
    ? `${known.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : known.toString()
}
