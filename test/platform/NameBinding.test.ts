import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import { bindNames, bindQuery, nameTree } from "../../src/platform/NameBinding.ts"
import { fieldsOf } from "../support/Fields.ts"

const Body = Schema.Struct({
  firstName: Schema.String,
  URL: Schema.optional(Schema.String),
  aI_Comment: Schema.NullOr(Schema.String),
  list: Schema.optionalWith(Schema.Array(Schema.Struct({ UIDType: Schema.String })), { nullable: true }),
  free: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  either: Schema.optional(Schema.Union(Schema.Struct({ leftID: Schema.Int }), Schema.Struct({ rightID: Schema.Int })))
}).pipe(Schema.filter(() => true))

const tree = nameTree(Body.ast)

const bind = (value: unknown) => bindNames(value, tree)

const recase = (name: string, upper: ReadonlyArray<boolean>) =>
  [...name].map((letter, at) => (upper[at % upper.length] ? letter.toUpperCase() : letter.toLowerCase())).join("")

const casing = fc.array(fc.boolean(), { minLength: 1, maxLength: 16 })

describe("Names in a body", () => {
  it("get the spelling of the schema, whatever their case", () => {
    fc.assert(
      fc.property(casing, fc.jsonValue(), (upper, free) => {
        const written = {
          [recase("firstName", upper)]: "a",
          [recase("URL", upper)]: "b",
          [recase("aI_Comment", upper)]: null,
          [recase("list", upper)]: [{ [recase("UIDType", upper)]: "Email", dropped: 1 }, null, 5],
          [recase("free", upper)]: free,
          [recase("either", upper)]: { [recase("rightID", upper)]: 1 }
        }
        expect(bind(written)).toEqual({
          firstName: "a",
          URL: "b",
          aI_Comment: null,
          list: [{ UIDType: "Email" }, null, 5],
          free,
          either: { rightID: 1 }
        })
      })
    )
  })

  it("are never invented, and binding twice changes nothing", () => {
    const known = new Set(["firstName", "URL", "aI_Comment", "list", "free", "either"])
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const bound = bind(value)
        expect(Object.keys(fieldsOf(bound)).every((name) => known.has(name))).toBe(true)
        expect(bind(bound)).toEqual(bound)
      })
    )
  })

  it("leave every value that is not an object as it is", () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => typeof value !== "object"),
        (value) => bind(value) === value
      )
    )
  })

  it("stay as written where the keys are the caller's own", () => {
    const free = { Key: 1, key: 2, KEY: { Nested: [{ A: 1, a: 2 }] } }
    expect(bind({ FREE: free })).toEqual({ free })
  })

  it("do not reach a prototype", () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"FirstName":"a","List":[{"__proto__":{"UIDType":"x"}}]}'
    )
    const bound = bind(hostile)
    expect(bound).toEqual({ firstName: "a", list: [{}] })
    expect(Object.getPrototypeOf(bound)).toBe(Object.prototype)
    expect(bound).not.toHaveProperty("polluted")
    expect({}).not.toHaveProperty("polluted")
  })
})

const names = new Map([["pagenumber", { name: "pageNumber" }]])

describe("Names in a query", () => {
  it("get the spelling of the schema and keep their values", () => {
    fc.assert(
      fc.property(casing, fc.array(fc.string()), fc.string(), (upper, values, other) => {
        const query = new URLSearchParams(values.map((value): [string, string] => [recase("pageNumber", upper), value]))
        query.append("other", other)
        const bound = new URLSearchParams(bindQuery(`/path?${query}`, names).split("?")[1])
        const wellFormed = (text: string) => new URLSearchParams({ text }).get("text")
        expect(bound.getAll("pageNumber")).toEqual(values.map(wellFormed))
        expect(bound.getAll("other")).toEqual([wellFormed(other)])
      })
    )
  })

  it("leave a path alone", () => {
    fc.assert(fc.property(fc.webPath(), (path) => bindQuery(path, names) === path))
    expect(bindQuery("/PageNumber?PAGENUMBER=1&x=%", names)).toBe("/PageNumber?pageNumber=1&x=%25")
  })
})
