const longest = 30_000

/**
 * How long to wait before the next attempt: twice as long each time, with jitter so that clients do not reconnect all
 * at once.
 */
export const backoff = (attempt: number, random: number) =>
  Math.min(longest, 1000 * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2)
