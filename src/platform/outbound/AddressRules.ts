import ipaddr from "ipaddr.js"

const globalUnicast = ipaddr.IPv6.parse("2000::")
const translated = ipaddr.IPv6.parse("64:ff9b::")

/** Reachable inside the virtual machines of one cloud (Azure), although it looks like any other address. */
const cloudInternal = "168.63.129.16"

const isPublicV4 = (address: ipaddr.IPv4) => address.range() === "unicast" && address.toString() !== cloudInternal

/** An IPv6 address that stands for an IPv4 address is judged as that one. */
const embeddedV4 = (address: ipaddr.IPv6) =>
  address.isIPv4MappedAddress() || address.match(translated, 96)
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : undefined

const isPublicV6 = (address: ipaddr.IPv6) => {
  const embedded = embeddedV4(address)
  if (embedded !== undefined) return isPublicV4(embedded)
  // Tunnels such as 6to4 and Teredo have ranges of their own and stay out, whatever address they wrap.
  return address.match(globalUnicast, 3) && address.range() === "unicast"
}

/**
 * Whether an IP address belongs to the public internet: not loopback, private, link-local, carrier-grade NAT,
 * multicast, metadata, documentation, unspecified or reserved. An invalid address is not public.
 */
export const isPublicAddress = (address: string) => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv4 ? isPublicV4(parsed) : isPublicV6(parsed)
}
