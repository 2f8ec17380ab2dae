import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { TextUpTo } from "../../schema/Fields.ts"
import { ActionID, idFromString } from "../../schema/Ids.ts"
import { largestPage, paging, totalPages } from "../../schema/Paging.ts"

const highest = 2 ** 31 - 1

const decodeId = Schema.decodeEither(idFromString(ActionID))

const sortable = ["name", "dateCreated", "isActive"] as const

const { defaults, query } = paging({ sortable, sortBy: "name", pageSize: 10 })

const decodePage = Schema.decodeEither(Schema.Struct(query))

const accepts = <A, E>(decoded: Either.Either<A, E>) => Either.isRight(decoded)

/** The same word with some letters in another case. */
const inAnyCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) => [...word].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join(""))

const texts = fc.oneof(
  fc.string(),
  fc.integer({ min: -(2 ** 33), max: 2 ** 33 }).map(String),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc
    .integer({ min: 1, max: 9 })
    .chain((digit) =>
      fc.constantFrom(`0${digit}`, `+${digit}`, ` ${digit}`, `${digit}.0`, `${digit}e0`, `0x${digit}`, `${digit}n`)
    ),
  fc.constantFrom("", "0", "-0", "1_000", "١", "Infinity", "NaN", "null")
)

/** A whole number in plain digits, without a zero in front. */
const isPlainNumber = (text: string, minimum: number, maximum: number) =>
  /^(0|-?[1-9][0-9]*)$/.test(text) && Number(text) >= minimum && Number(text) <= maximum

describe("The length of a text", () => {
  it("is counted in characters, as PostgreSQL and the published schema count", () => {
    const decode = Schema.decodeEither(TextUpTo(10))
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), (text) => {
        expect(accepts(decode(text))).toBe([...text].length <= 10)
      })
    )
  })
})

describe("An id in a path", () => {
  it("can be any whole number from 1 to 2147483647, and is encoded as it was", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: highest }), (id) => {
        const decoded = Either.getOrThrow(decodeId(String(id)))
        expect(decoded).toBe(id)
        expect(Schema.encodeSync(idFromString(ActionID))(decoded)).toBe(String(id))
      })
    )
    expect([1, highest].map((id) => accepts(decodeId(String(id))))).toEqual([true, true])
  })

  it("cannot be anything else", () => {
    fc.assert(fc.property(texts, (text) => accepts(decodeId(text)) === isPlainNumber(text, 1, highest)))
    expect(["0", "-1", "2147483648"].some((text) => accepts(decodeId(text)))).toBe(false)
  })

  it("must be a JSON number in a body, not a string", () => {
    const decode = Schema.decodeUnknownEither(ActionID)
    fc.assert(
      fc.property(
        fc.anything(),
        (value) =>
          accepts(decode(value)) ===
          (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= highest)
      )
    )
  })
})

describe("A page", () => {
  it("has a number from 1 and a size from 1 to 200", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const number = Number(text)
        const plain = /^-?[0-9]{1,10}$/.test(text)
        expect(accepts(decodePage({ pageNumber: text }))).toBe(plain && number >= 1 && number <= highest)
        expect(accepts(decodePage({ pageSize: text }))).toBe(plain && number >= 1 && number <= largestPage)
      })
    )
    expect(["0", "1", "200", "201"].map((pageSize) => accepts(decodePage({ pageSize })))).toEqual([
      false,
      true,
      true,
      false
    ])
  })

  it("is the first ten by name when nothing is asked for", () => {
    expect({ ...defaults, ...Either.getOrThrow(decodePage({})) }).toEqual({
      pageNumber: 1,
      pageSize: 10,
      sortBy: "name",
      sortOrder: "asc"
    })
  })

  it("is sorted by a field and an order written in any case", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sortable).chain((field) => fc.tuple(fc.constant(field), inAnyCase(field))),
        fc.constantFrom("asc", "desc").chain((order) => fc.tuple(fc.constant(order), inAnyCase(order))),
        ([field, writtenField], [order, writtenOrder]) => {
          const decoded = decodePage({ sortBy: writtenField, sortOrder: writtenOrder })
          expect(Either.getOrThrow(decoded)).toMatchObject({ sortBy: field, sortOrder: order })
        }
      )
    )
  })

  it("cannot be sorted by a word that is no field", () => {
    const known = sortable.map((field) => field.toLowerCase())
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom("name ", "name;", "customer_id", "__proto__", "constructor", "")
    )
    fc.assert(
      fc.property(words, (word) => accepts(decodePage({ sortBy: word })) === known.includes(word.toLowerCase()))
    )
  })

  it("is one of exactly as many pages as all the items need", () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), fc.integer({ min: 1, max: largestPage }), (count, size) => {
        const pages = totalPages(count, size)
        expect(Number.isInteger(pages)).toBe(true)
        expect(pages * size).toBeGreaterThanOrEqual(count)
        expect(Math.max(0, pages - 1) * size < count || count === 0).toBe(true)
      })
    )
    expect([totalPages(0, 10), totalPages(1, 10), totalPages(10, 10), totalPages(11, 10)]).toEqual([0, 1, 1, 2])
  })
})
