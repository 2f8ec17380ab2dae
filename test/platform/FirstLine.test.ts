import { describe, expect, it } from "@effect/vitest"
import { Cause, Data } from "effect"
import { firstLine } from "../../src/platform/text/FirstLine.ts"

class Trouble extends Data.TaggedError("Trouble")<{ readonly message: string }> {}

describe("What went wrong, in one line", () => {
  it("is the message of a failure, without the name that it has in the source", () => {
    expect(firstLine(Cause.fail(new Trouble({ message: "There is no folder.\nAsk for another." })))).toBe(
      "There is no folder."
    )
    expect(firstLine(Cause.fail(new Trouble({ message: "x".repeat(900) })))).toHaveLength(500)
  })

  it("includes the name of an unexpected error, which helps to find it", () => {
    expect(firstLine(Cause.die(new TypeError("x is undefined")))).toBe("TypeError: x is undefined")
    expect(firstLine(Cause.fail("just words"))).toBe("Error: just words")
  })
})
