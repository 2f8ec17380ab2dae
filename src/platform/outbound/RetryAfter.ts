import { Duration, Schedule } from "effect"

/** How long another service asks to wait, from its Retry-After: seconds, or a moment. */
export const retryAfterSeconds = (header: string | undefined): number | undefined => {
  const value = header?.trim() ?? ""
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

/** Pauses between attempts: they grow, with jitter, and are never shorter than the other service asks for. */
export const retryPauses = <Problem>(
  { first, retries }: { readonly first: Duration.Duration; readonly retries: number },
  secondsAskedFor: (problem: Problem) => number | undefined
) =>
  Schedule.identity<Problem>().pipe(
    Schedule.intersect(Schedule.jittered(Schedule.exponential(first))),
    Schedule.intersect(Schedule.recurs(retries)),
    Schedule.modifyDelay(([[problem]], delay) => Duration.max(delay, Duration.seconds(secondsAskedFor(problem) ?? 0)))
  )
