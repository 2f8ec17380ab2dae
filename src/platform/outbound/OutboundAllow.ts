import { isIPv6 } from "node:net"
import type { Either } from "effect"
import { parseCommaList } from "../settings/CommaList.ts"

/** A host that may be called although its address is not public; without a port, on every port. */
export interface AllowedHost {
  readonly host: string
  readonly port: number | undefined
}

/** Normalises a host: lower case, addresses in their canonical form, no brackets and no trailing dot. */
export const normalHost = (host: string) => {
  const bare = host.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  const url = `http://${isIPv6(bare) ? `[${bare}]` : bare}`
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : bare.toLowerCase()
}

const parseEntry = (entry: string): AllowedHost | undefined => {
  if (isIPv6(entry)) return { host: normalHost(entry), port: undefined }
  const [, host = "", port] = /^(\[[^\]]+\]|[^:/?#@\s]+)(?::(\d{1,5}))?$/.exec(entry) ?? []
  if (!URL.canParse(`http://${host}`) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined
  return { host: normalHost(host), port: port === undefined ? undefined : Number(port) }
}

/** Reads a comma-separated list of hosts or host:port; Left is the entry that is neither. */
export const parseOutboundAllow = (list: string): Either.Either<ReadonlyArray<AllowedHost>, string> =>
  parseCommaList(list, parseEntry)

export const isAllowed = (allowed: ReadonlyArray<AllowedHost>, host: string, port: number) => {
  const wanted = normalHost(host)
  return allowed.some((entry) => entry.host === wanted && (entry.port === undefined || entry.port === port))
}
