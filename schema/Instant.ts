import { Schema } from "effect"
import { isCalendarDate } from "./CalendarDate.ts"

const written =
  /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/

/**
 * A point in time in ISO 8601, in UTC unless it has an offset. JavaScript alone would guess at any text, and read
 * 30 February as 1 March.
 */
export const Instant = Schema.String.pipe(
  Schema.filter(
    (text) => {
      const [, day] = written.exec(text) ?? []
      return day !== undefined && isCalendarDate(day)
    },
    { message: () => "must be a date and time, such as 2026-03-01T09:00:00Z" }
  ),
  Schema.compose(Schema.DateTimeUtc)
)
