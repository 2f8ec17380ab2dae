import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { parseJson } from "../../src/platform/http/JsonText.ts"

const parse = (text: string) => Effect.runSync(parseJson(text))

const refusalOf = (text: string) => Effect.runSync(Effect.flip(parseJson(text))).message

describe("JSON text", () => {
  it("parses exactly as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        fc.pre(!text.includes("__proto__"))
        expect(parse(text)).toEqual(JSON.parse(text))
      })
    )
  })

  it("never sets a prototype, however __proto__ is written", () => {
    for (const name of ["__proto__", "\\u005f_proto__", "__prot\\u006F__", "\\u005F\\u005f\\u0070roto\\u005f_"]) {
      expect(parse(`{"kept":[{"${name}" : {"a":1},"b":2}]}`)).toStrictEqual({
        kept: [{ b: 2, "__proto__\u0000": null }]
      })
    }
    expect(parse('{"a":"__proto__"}')).toEqual({ a: "__proto__" })
  })

  it("may nest 64 levels deep, not counting brackets inside strings", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    expect(parse(nested(64))).toBeInstanceOf(Array)
    expect(refusalOf(nested(65))).toMatch(/nested too deeply/)
    const tricky = JSON.stringify({ text: `\\"${"[{".repeat(100)}\\`, more: '"[' })
    expect(parse(tricky)).toEqual(JSON.parse(tricky))
    expect(parse(`[${Array(500).fill("[]").join()}]`)).toHaveLength(500)
  })

  it("is refused with a clear message when empty or not valid", () => {
    expect(refusalOf(" \n")).toBe("Send a JSON body.")
    for (const text of ["{", '"', '{"a":1,}', "undefined", '"\\']) expect(refusalOf(text)).toMatch(/not valid JSON/)
  })
})
