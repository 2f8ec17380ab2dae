import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { changedShare } from "../../src/ai/ChangedShare.ts"

const text = fc
  .array(fc.constantFrom("the", "key", "is", "lost", "new", "one"), { maxLength: 12 })
  .map((words) => words.join(" "))

describe("How far a sent text differs from its draft", () => {
  it("is the share of words that were put in, left out or replaced", () => {
    expect(changedShare("a b c d", "a b c d")).toBe(0)
    expect(changedShare("a b c d", " a  b\nc d ")).toBe(0)
    expect(changedShare("a b c d", "a b x d")).toBe(0.25)
    expect(changedShare("a b c", "a b c d")).toBe(0.25)
    expect(changedShare("a b", "")).toBe(1)
    expect(changedShare("", "")).toBe(0)
    expect(changedShare("a b c", "x y z")).toBe(1)
  })

  it("is between 0 and 1, the same in both directions, and 0 only for the same words", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const share = changedShare(one, other)
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(share).toBe(changedShare(other, one))
        expect(share === 0).toBe(one === other)
      })
    )
  })

  it("is measured at the beginning of very long texts, but is 0 only when all their words are the same", () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `word${index % 97}`).join(" ")
    expect(changedShare(long, ` ${long}\n`)).toBe(0)
    expect(changedShare(long, `${long} and more`)).toBe(0.001)
    expect(changedShare(long, `new ${long}`)).toBeCloseTo(0.002)
  })
})
