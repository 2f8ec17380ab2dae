import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { dayOf, lasting } from "../../src/pages/desk/Format.ts"

describe("A duration", () => {
  it("is shown in the unit that people would use", () => {
    const minute = 60_000
    expect(
      [12.4, 999, 1500, 59_900, minute, 30 * minute, 90 * minute, 47 * 60 * minute, 72 * 60 * minute].map(lasting)
    ).toEqual(["12 ms", "999 ms", "1.5 s", "59.9 s", "1 min", "30 min", "2 h", "47 h", "3 days"])
  })
})

describe("A day", () => {
  it("is named when it is today or yesterday, and written out otherwise", () => {
    const now = new Date(2026, 2, 1, 0, 30)
    const days = [new Date(2026, 2, 1, 0, 5), new Date(2026, 1, 28, 23, 55), new Date(2026, 1, 27, 12)]
    expect(days.map((day) => dayOf(DateTime.unsafeMake(day), now))).toEqual([
      "Today",
      "Yesterday",
      expect.stringMatching(/^Friday,? 27 February 2026$/)
    ])
  })
})
