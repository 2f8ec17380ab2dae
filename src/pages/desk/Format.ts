import { DateTime } from "effect"

const language = "en-GB"

const minute = 60_000
const day = 24 * 60 * minute

const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const weekday = new Intl.DateTimeFormat(language, { weekday: "short" })
const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" })
const longDate = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year: "numeric" })
const exact = new Intl.DateTimeFormat(language, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23"
})

export const timeOf = (at: DateTime.Utc) => time.format(DateTime.toEpochMillis(at))

const isSameDay = (one: Date, other: Date) => one.toDateString() === other.toDateString()

/** The day of a message: today and yesterday by name, any other in full. */
export const dayOf = (at: DateTime.Utc, now = new Date()) => {
  const then = DateTime.toDate(at)
  if (isSameDay(then, now)) return "Today"
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  return isSameDay(then, yesterday) ? "Yesterday" : longDate.format(then)
}

export const exactly = (at: DateTime.Utc) => exact.format(DateTime.toEpochMillis(at))

/** How long ago something was, as short as a list needs it. */
export const ago = (at: DateTime.Utc, now = Date.now()) => {
  const then = DateTime.toEpochMillis(at)
  const passed = now - then
  if (passed < minute) return "now"
  if (passed < 60 * minute) return `${Math.floor(passed / minute)} min`
  if (passed < day) return `${Math.floor(passed / (60 * minute))} h`
  return passed < 6 * day ? weekday.format(then) : date.format(then)
}

const languages = new Intl.DisplayNames(language, { type: "language" })

export const languageName = (tag: string) => {
  try {
    return languages.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** At most two letters for an avatar. */
export const initials = (name: string) =>
  name
    .split(/[\s.@_-]+/)
    .filter((part) => part !== "")
    .slice(0, 2)
    .map((part) => [...part][0]?.toUpperCase() ?? "")
    .join("")

/** How long something took, with the precision that people use. */
export const lasting = (milliseconds: number) => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const minutes = Math.round(milliseconds / minute)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
