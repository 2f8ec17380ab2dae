import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import {
  fillJson,
  fillText,
  fillUrl,
  fillWhole,
  fillXml,
  longestFilled,
  placeholdersIn,
  type Values
} from "../../src/documents/Placeholders.ts"
import { listed } from "../../src/documents/PlaceholderValues.ts"

const valuesOf =
  (record: Readonly<Record<string, string>>): Values =>
  (name) =>
    Object.hasOwn(record, name) ? record[name] : undefined

const nothing: Values = () => undefined

/** Text with many braces, quotes, dollars and line breaks. */
const text = fc.stringOf(fc.oneof(fc.constantFrom("{", "}", "{{a}}", '"', "\\", "$&", "\n", "/", "é", "😀"), fc.char()))

describe("placeholders", () => {
  it("are replaced where they stand, also with spaces inside, and unknown ones stay", () => {
    const values = valuesOf({ a: "1", "Ticket.field.order no": "77" })
    expect(fillText("x {{a}} {{ a }} {{b}} {{Ticket.field.order no}} {a}", values)).toBe("x 1 1 {{b}} 77 {a}")
    expect(fillText("{{{a}}}", values)).toBe("{1}")
  })

  it("leave a text unchanged when there are no values", () => {
    fc.assert(fc.property(text, (template) => fillText(template, nothing) === template))
  })

  it("are never replaced inside a value, whatever it contains", () => {
    fc.assert(
      fc.property(text, text, (before, value) => {
        const template = `${before.replaceAll(/[{}]/g, "")}{{v}}{{v}}`
        const filled = fillText(template, (name) => (name === "v" ? value : name === "a" ? "SECRET" : undefined))
        return filled === template.replaceAll("{{v}}", () => value.toWellFormed())
      })
    )
  })

  it("are listed by name, each once", () => {
    expect([...placeholdersIn("{{ TopicList }} {{Now}} {{Now}} {{}} {x}")]).toEqual(["TopicList", "Now"])
  })

  it("are filled in linear time in hostile text", () => {
    const started = performance.now()
    for (const hostile of ["{".repeat(500_000), `{{${" ".repeat(500_000)}`, "{{a".repeat(200_000)]) {
      fillText(hostile, nothing)
    }
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it("cannot add to the path or the parameters of a URL", () => {
    fc.assert(
      fc.property(text, (value) => {
        const url = new URL(
          Either.getOrThrow(fillUrl("https://api.example/v1/x{{v}}?q={{v}}&end=1", valuesOf({ v: value })))
        )
        const plain = value.toWellFormed()
        expect(url.host).toBe("api.example")
        expect(url.hash).toBe("")
        expect(decodeURIComponent(url.pathname)).toBe(`/v1/x${plain}`)
        expect([...url.searchParams]).toEqual([
          ["q", plain],
          ["end", "1"]
        ])
      })
    )
  })

  it("stay inside a JSON string", () => {
    fc.assert(
      fc.property(text, (value) => {
        const filled = Either.getOrThrow(fillJson('{"a":"say \\"{{v}}\\"","b":["{{v}}"]}', valuesOf({ v: value })))
        const plain = value.toWellFormed()
        expect(JSON.parse(filled)).toEqual({ a: `say "${plain}"`, b: [plain] })
      })
    )
  })

  it("become one value outside of JSON strings: a number, a boolean, null or a string", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.constantFrom("1", "-2.5e3", "true", "null", '1,"admin":true')), (value) => {
        const parsed: unknown = JSON.parse(Either.getOrThrow(fillJson('{"a":{{v}},"b":"x"}', valuesOf({ v: value }))))
        const scalar = /^(?:true|false|null|-?\d.*)$/.test(value) && typeof parsed === "object"
        expect(parsed).toMatchObject({ b: "x" })
        expect(Object.keys(parsed ?? {})).toEqual(["a", "b"])
        if (!scalar) expect(parsed).toEqual({ a: value.toWellFormed(), b: "x" })
      })
    )
    const scalars = fillJson("[{{a}},{{b}},{{c}}]", valuesOf({ a: "12", b: "true", c: "01" }))
    expect(scalars).toEqual(Either.right('[12,true,"01"]'))
  })

  it("cannot open a tag or leave an attribute in XML", () => {
    expect(fillXml('<a b="{{v}}">{{v}}</a>', valuesOf({ v: `"<'&>` }))).toEqual(
      Either.right('<a b="&quot;&lt;&apos;&amp;&gt;">&quot;&lt;&apos;&amp;&gt;</a>')
    )
  })

  it("are filled up to a maximum length, counted after escaping", () => {
    const half = valuesOf({ v: "&".repeat(longestFilled / 2) })
    expect(Either.map(fillWhole("{{v}}{{v}}", half), ({ length }) => length)).toEqual(Either.right(longestFilled))
    for (const fill of [fillWhole, fillUrl, fillXml, fillJson]) {
      const name = fill === fillWhole || fill === fillJson ? "{{v}}{{v}}." : "{{v}}"
      expect(Either.mapLeft(fill(name, half), ({ status }) => status)).toEqual(Either.left(400))
    }
    expect(fillText("{{v}}{{v}}.", valuesOf({ v: "😀".repeat(60_000) }))).toMatch(
      /^(?:(?:😀)+\uFFFD?\n\[… shortened\]){2}\.$/u
    )
    const emojis = fillText(`x${"{{v}}".repeat(100)}`, valuesOf({ v: "😀".repeat(50_000) }))
    expect([emojis.length, emojis.isWellFormed()]).toEqual([longestFilled, true])
  })
})

describe("lists", () => {
  it("have one line for each entry", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.string(), detail: fc.option(text) })), (entries) => {
        const lines = listed(entries).split("\n")
        return entries.length === 0 ? lines.join("") === "" : lines.length === entries.length
      })
    )
    expect(
      listed([
        { name: "Lost key", detail: "A tenant\nis locked out" },
        { name: "Other", detail: null }
      ])
    ).toBe("- Lost key: A tenant is locked out\n- Other")
  })
})
