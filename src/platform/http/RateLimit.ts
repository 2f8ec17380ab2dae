import { Effect, Option } from "effect"
import { makeBuckets } from "../concurrency/Buckets.ts"
import type { RateLimits } from "../settings/Settings.ts"

export interface Verdict {
  readonly isAllowed: boolean
  readonly retryAfterSeconds: number
  readonly headers: Readonly<Record<string, string>>
}

const makePolicy = (name: string, limit: number) => {
  const take = makeBuckets(limit)
  const policyHeader = `"${name}";q=${limit};w=60`
  return (key: string): Effect.Effect<Verdict> =>
    Effect.map(take(key), ({ isAllowed, left, retryAfterSeconds, secondsUntilFull }) => ({
      isAllowed,
      retryAfterSeconds,
      headers: {
        "ratelimit-policy": policyHeader,
        ratelimit: `"${name}";r=${left};t=${isAllowed ? secondsUntilFull : retryAfterSeconds}`
      }
    }))
}

const unlimited: Verdict = { isAllowed: true, retryAfterSeconds: 0, headers: {} }

/**
 * Limits how many requests a caller may send: with a valid token by its identity, however many tokens it has, otherwise
 * by its address. Each node counts for itself, so that a request costs no round trip.
 */
export const makeRateLimit = ({ address, caller }: RateLimits) => {
  const ofCaller = Option.map(caller, (limit) => makePolicy("caller", limit))
  const ofAddress = Option.map(address, (limit) => makePolicy("address", limit))
  return (from: { readonly caller: Option.Option<string>; readonly address: string }): Effect.Effect<Verdict> => {
    const take = Option.isSome(from.caller) ? ofCaller : ofAddress
    if (Option.isNone(take)) return Effect.succeed(unlimited)
    return take.value(Option.getOrElse(from.caller, () => from.address))
  }
}
