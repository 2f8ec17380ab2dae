import { Clock, Effect, Option } from "effect"
import type { RateLimits } from "../settings/Settings.ts"

const windowSeconds = 60

// Enough for all callers of one minute; beyond that the oldest are forgotten first, which is in their favour.
const mostBuckets = 50_000

interface Bucket {
  /** How many requests may come at once. Refills evenly, from empty to full in a minute. */
  left: number
  at: number
}

export interface Verdict {
  readonly isAllowed: boolean
  readonly retryAfterSeconds: number
  readonly headers: Readonly<Record<string, string>>
}

/** Counts in this process, without asking the database or another node. */
const makeBuckets = (policy: string, limit: number) => {
  const buckets = new Map<string, Bucket>()
  const policyHeader = `"${policy}";q=${limit};w=${windowSeconds}`
  const perSecond = limit / windowSeconds

  const take = (key: string, now: number): Verdict => {
    const known = buckets.get(key)
    const left = known === undefined ? limit : Math.min(limit, known.left + (now - known.at) * perSecond)
    const isAllowed = left >= 1
    const after = isAllowed ? left - 1 : left
    // Deleted and set again, the key moves to the end of the map: the first one is the least recently seen.
    buckets.delete(key)
    buckets.set(key, { left: after, at: now })
    if (buckets.size > mostBuckets) {
      const [oldest] = buckets.keys()
      if (oldest !== undefined) buckets.delete(oldest)
    }
    const wait = Math.ceil((1 - after) / perSecond)
    const untilFull = Math.ceil((limit - after) / perSecond)
    return {
      isAllowed,
      retryAfterSeconds: Math.max(1, wait),
      headers: {
        "ratelimit-policy": policyHeader,
        ratelimit: `"${policy}";r=${Math.floor(after)};t=${isAllowed ? untilFull : Math.max(1, wait)}`
      }
    }
  }
  return take
}

const unlimited: Verdict = { isAllowed: true, retryAfterSeconds: 0, headers: {} }

/**
 * Limits how many requests a caller may send: with a valid token by its identity, however many tokens it has, otherwise
 * by its address. Each node counts for itself, so that a request costs no round trip.
 */
export const makeRateLimit = ({ address, caller }: RateLimits) => {
  const ofCaller = Option.map(caller, (limit) => makeBuckets("caller", limit))
  const ofAddress = Option.map(address, (limit) => makeBuckets("address", limit))
  return (from: { readonly caller: Option.Option<string>; readonly address: string }): Effect.Effect<Verdict> => {
    const take = Option.isSome(from.caller) ? ofCaller : ofAddress
    if (Option.isNone(take)) return Effect.succeed(unlimited)
    const key = Option.getOrElse(from.caller, () => from.address)
    return Effect.map(Clock.currentTimeNanos, (nanos) => take.value(key, Number(nanos) / 1e9))
  }
}
