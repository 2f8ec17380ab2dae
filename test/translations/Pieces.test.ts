import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { inPlaceOf } from "../../src/translations/Around.ts"
import { batches } from "../../src/translations/Batches.ts"
import { piecesOf } from "../../src/translations/Pieces.ts"

const text = fc.string({ unit: fc.constantFrom("a", "b ", ". ", "\n", "\n\n", "😀", "ß"), maxLength: 200 })

describe("A long text", () => {
  it("is cut into pieces that add up to it, none too long, none with half a character", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 50 }), (whole, longest) => {
        const pieces = piecesOf(whole, longest)
        expect(pieces.join("")).toBe(whole)
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(longest)
          expect(piece.isWellFormed()).toBe(true)
        }
      })
    )
  })

  it("is cut between paragraphs rather than lines, between lines rather than words", () => {
    expect(piecesOf("one two\n\nthree four\nfive", 20)).toEqual(["one two\n\n", "three four\nfive"])
    expect(piecesOf("one two three\nfour five", 18)).toEqual(["one two three\n", "four five"])
    expect(piecesOf("one two three", 9)).toEqual(["one two ", "three"])
  })

  it("keeps the spaces around it", () => {
    expect(inPlaceOf(" \n one ", "eins")).toBe(" \n eins ")
    expect(inPlaceOf("", "eins")).toBe("eins")
  })
})

describe("Texts of a page", () => {
  it("are batched with their neighbours, neither too many nor, except for a single one, too long", () => {
    fc.assert(
      fc.property(
        fc.array(text),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 300 }),
        (all, most, longest) => {
          const runs = batches(all, most, longest)
          expect(runs.flat()).toEqual(all)
          for (const run of runs) {
            expect(run.length).toBeGreaterThan(0)
            expect(run.length).toBeLessThanOrEqual(most)
            if (run.length > 1) expect(run.join("").length).toBeLessThanOrEqual(longest)
          }
        }
      )
    )
  })
})
