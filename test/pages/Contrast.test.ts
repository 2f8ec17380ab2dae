import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { contrast, readableOn, textOn } from "../../src/pages/dom/Contrast.ts"

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

describe("Custom colours", () => {
  it("have their contrast measured as WCAG defines it", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21)
    expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2)
  })

  it("leave the text on them readable", () => {
    fc.assert(fc.property(colour, (background) => contrast(textOn(background), background) >= 4.5))
  })

  it("are changed where necessary to be readable on light and dark", () => {
    fc.assert(
      fc.property(colour, fc.constantFrom("#ffffff", "#171a20"), (accent, surface) => {
        expect(contrast(readableOn(accent, surface), surface)).toBeGreaterThanOrEqual(4.5)
      })
    )
    expect(readableOn("#1f6b52", "#ffffff")).toBe("#1f6b52")
  })
})
