import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import { windowsTimeZone } from "../../src/representatives/WindowsTimeZone.ts"

describe("A Windows time zone name", () => {
  it("is known in any case and spelled as Windows does", () => {
    for (const name of [
      "UTC",
      "W. Europe Standard Time",
      "UTC+13",
      "South Sudan Standard Time",
      "Yukon Standard Time"
    ]) {
      expect(windowsTimeZone(name.toUpperCase())).toEqual(Option.some(name))
    }
    expect(windowsTimeZone("kamchatka standard time")).toEqual(Option.some("Kamchatka Standard Time"))
  })

  it("is no IANA name and nothing else", () => {
    for (const name of ["Europe/Vienna", "", "Standard Time", "constructor"]) {
      expect(windowsTimeZone(name), name).toEqual(Option.none())
    }
  })
})
