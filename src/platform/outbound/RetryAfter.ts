import { Duration, Schedule } from "effect"

/** Parses a Retry-After header, in seconds or as a date, into the seconds to wait. */
export const retryAfterSeconds = (header: string | undefined): number | undefined => {
  const value = header?.trim() ?? ""
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

/** Growing pauses between attempts, with jitter, and never shorter than the other service asks for. */
export const retryPauses = <Problem>(
  { first, retries }: { readonly first: Duration.Duration; readonly retries: number },
  secondsAskedFor: (problem: Problem) => number | undefined
) =>
  Schedule.identity<Problem>().pipe(
    Schedule.intersect(Schedule.jittered(Schedule.exponential(first))),
    Schedule.intersect(Schedule.recurs(retries)),
    Schedule.modifyDelay(([[problem]], delay) => Duration.max(delay, Duration.seconds(secondsAskedFor(problem) ?? 0)))
  )
