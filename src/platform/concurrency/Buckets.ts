import { Clock, Effect } from "effect"

const windowSeconds = 60

// Enough for all callers of one minute; beyond that the oldest are forgotten first, which is in their favour.
const mostBuckets = 50_000

interface Bucket {
  /** How much may come at once. Refills evenly, from empty to full in a minute. */
  left: number
  at: number
}

export interface Taken {
  readonly isAllowed: boolean
  readonly left: number
  /** Until the next one is allowed. */
  readonly retryAfterSeconds: number
  readonly secondsUntilFull: number
}

/** Limits what each key may take in a minute. Counts in this process, without asking the database or another node. */
export const makeBuckets = (limit: number) => {
  const buckets = new Map<string, Bucket>()
  const perSecond = limit / windowSeconds

  return (key: string): Effect.Effect<Taken> =>
    Effect.map(Clock.currentTimeNanos, (nanos) => {
      const now = Number(nanos) / 1e9
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
      return {
        isAllowed,
        left: Math.floor(after),
        retryAfterSeconds: Math.max(1, Math.ceil((1 - after) / perSecond)),
        secondsUntilFull: Math.ceil((limit - after) / perSecond)
      }
    })
}
