import { Duration } from "effect"
import { pauseFor, RunAgain } from "./JobRun.ts"

interface Patience {
  readonly lasts: Duration.DurationInput
  readonly longestPause: Duration.DurationInput
}

const aDay: Patience = { lasts: "1 day", longestPause: "15 minutes" }

interface Trouble {
  /** The other service is away, so it may be tried for long: nothing was done, or a retry would find out. */
  readonly isAway: boolean
  /** How long the other service asked to wait, when it said so. */
  readonly retryAfterSeconds?: number | undefined
}

/**
 * Returns when to retry work because another service is away; after a day its attempts count, so that it ends up
 * reported. Any other failure counts from the start: the work may have been done each time, or is for us to fix. A
 * Retry-After is honoured; without one, work waits as long again as it already has.
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
  return new RunAgain({ pauseSeconds, hasBegun: true })
}
