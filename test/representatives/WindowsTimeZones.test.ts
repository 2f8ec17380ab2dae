import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { WINDOWS_TO_IANA_MAP } from "windows-iana"
import { WindowsTimeZone, windowsTimeZones } from "../../schema/WindowsTimeZones.ts"

// Windows still knows these two, but they stand for no place, so the map to IANA names leaves them out.
const withoutPlace = ["Kamchatka Standard Time", "Mid-Atlantic Standard Time"]

const read = Schema.decodeEither(WindowsTimeZone)

describe("A Windows time zone name", () => {
  it("is one of those that Windows has", () => {
    const known = new Set([...WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName), ...withoutPlace])
    expect(windowsTimeZones).toEqual([...known].sort())
  })

  it("is known in any case and spelled as Windows does", () => {
    for (const name of windowsTimeZones) {
      for (const written of [name.toUpperCase(), name.toLowerCase(), ` ${name} `]) {
        expect(read(written), written).toEqual(Either.right(name))
      }
    }
  })

  it("is neither an IANA name nor anything else", () => {
    for (const name of ["Europe/Vienna", "", "Standard Time", "constructor"]) {
      expect(Either.isLeft(read(name)), name).toBe(true)
    }
  })
})
