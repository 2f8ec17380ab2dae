import { Schema } from "effect"
import { Text } from "./Fields.ts"

/** Whether a text is a date that exists: 2024-02-29 does, 2023-02-29 does not. */
export const isCalendarDate = (text: string) => {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** A day without a time, as YYYY-MM-DD. */
export const CalendarDate = Text.pipe(
  Schema.filter(isCalendarDate, {
    message: () => "must be a date that exists, as YYYY-MM-DD",
    jsonSchema: { format: "date" },
    arbitrary: () => (fc) =>
      fc
        .date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10))
  }),
  Schema.annotations({ examples: ["2026-03-31"] })
)
