import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { largestRecord, recordSeparator, splitRecords } from "../../src/hub/RecordFraming.ts"

const record = fc
  .string({ unit: fc.constantFrom(...'aä語😀{}"\n'), maxLength: 40 })
  .map((text) => text.replaceAll(recordSeparator, ""))

/** The same text in pieces, cut at random places. */
const pieces = (text: string) =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 8 }).map((cuts) => {
    const places = [0, ...cuts.sort((a, b) => a - b), text.length]
    return places.slice(1).map((end, index) => text.slice(places[index], end))
  })

const readAll = (chunks: ReadonlyArray<string>) => {
  const records: Array<string> = []
  let rest = ""
  for (const chunk of chunks) {
    const framed = Either.getOrThrow(splitRecords(rest, chunk))
    records.push(...framed.records)
    rest = framed.rest
  }
  return { records, rest }
}

describe("Records", () => {
  it("arrive as they were sent, wherever the transport cuts them", () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.array(record), record).chain(([records, rest]) => {
          const text = records.map((one) => one + recordSeparator).join("") + rest
          return pieces(text).map((chunks) => ({ records, rest, chunks }))
        }),
        ({ chunks, records, rest }) => {
          expect(readAll(chunks)).toEqual({ records, rest })
        }
      )
    )
  })

  it("have up to 32 KB, counted in bytes, finished or not", () => {
    fc.assert(
      fc.property(fc.constantFrom("a", "ä", "語", "😀"), fc.integer({ min: -3, max: 3 }), (letter, more) => {
        const size = Math.floor(largestRecord / Buffer.byteLength(letter)) + more
        const text = letter.repeat(size)
        const fits = Buffer.byteLength(text) <= largestRecord
        for (const ending of ["", recordSeparator, `${recordSeparator}{}`]) {
          expect(Either.isRight(splitRecords("", text + ending))).toBe(fits)
          expect(Either.isRight(splitRecords(text.slice(0, 9), text.slice(9) + ending))).toBe(fits)
        }
      })
    )
  })
})
