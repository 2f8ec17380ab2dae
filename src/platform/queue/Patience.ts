import { Duration } from "effect"
import { Again, pauseFor } from "./JobRun.ts"

interface Patience {
  readonly lasts: Duration.DurationInput
  readonly longestPause: Duration.DurationInput
}

const aDay: Patience = { lasts: "1 day", longestPause: "15 minutes" }

interface Trouble {
  /** The other service is away, so that it may be tried for long: nothing was done, or one would find out. */
  readonly isAway: boolean
  /** How long the other service asked to wait, when it said so. */
  readonly retryAfterSeconds?: number | undefined
}

/**
 * When to try again what another service is away for; then its attempts count, and somebody learns of it. What else goes
 * wrong counts from the first: it may have been done each time, or is for us to mend. A service that says when to come
 * back is taken at its word; else work waits as long again as it has waited.
 */
export const comeBackAfter = (
  ageSeconds: number,
  { isAway, retryAfterSeconds }: Trouble,
  { lasts, longestPause } = aDay
) => {
  if (ageSeconds > Duration.toSeconds(lasts) || (retryAfterSeconds === undefined && !isAway)) return undefined
  const pauseSeconds =
    retryAfterSeconds === undefined
      ? Math.min(Math.max(2, Math.ceil(ageSeconds)), Duration.toSeconds(longestPause))
      : pauseFor(retryAfterSeconds)
  return new Again({ pauseSeconds, hasBegun: true })
}
