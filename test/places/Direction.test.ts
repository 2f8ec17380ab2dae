import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { stretchesOf } from "../../src/places/document/Direction.ts"
import { openDocx, problemsOf } from "./DocxPackage.ts"
import { documentOf, render } from "./RenderedReports.ts"
import { elementsNamed, textIn } from "./XmlTree.ts"

describe("Text in two directions", () => {
  it("is split where its direction changes, and punctuation follows the paragraph", () => {
    const cut = (text: string, inBackward: boolean) =>
      stretchesOf(text, inBackward).map((stretch) => `${stretch.isBackward ? "<" : ">"}${stretch.text}`)
    expect(cut("a, b 1.", false)).toEqual([">a, b 1."])
    expect(cut("קיר לבן. 2", true)).toEqual(["<קיר לבן. 2"])
    expect(cut("קיר LG 55, OK.", true)).toEqual(["<קיר ", ">LG 55, OK", "<."])
    expect(cut("the word جدار أبيض here", false)).toEqual([">the word ", "<جدار أبيض", "> here"])
    expect(cut("", true)).toEqual([])
  })

  it("loses no character when it is split", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "א", "ب", " ", ".", "1", "é", "\u0301") })
    fc.assert(
      fc.property(text, fc.boolean(), (written, inBackward) => {
        const stretches = stretchesOf(written, inBackward)
        expect(stretches.map((stretch) => stretch.text).join("")).toBe(written)
        for (const stretch of stretches) {
          expect(stretch.text).not.toMatch(stretch.isBackward ? /[aé]/ : /[אب]/)
        }
      })
    )
  })
})

describe("A report from right to left", () => {
  it("stays near the length of its text, however often the direction changes", async () => {
    const text = "aא".repeat(100_000)
    const docx = await openDocx(await render(documentOf([`<p>${text}</p>`])))
    expect(textIn(docx.document)).toContain(text)
    expect(elementsNamed(docx.document, "w:r").length).toBeLessThan(110_000)
  })

  it("is right to left in Word: its paragraphs, lists, headings and tables", async () => {
    const cells = "<tr><td>1</td><td>קיר</td></tr>"
    const html = `<h2>מטבח</h2><p>קיר <b>white</b></p><ul><li>דלת<p>חלון</p></li></ul><table>${cells}</table>`
    const docx = await openDocx(await render(documentOf([`${html}<p>wall קיר</p><table><tr><td>x</td></tr></table>`])))
    expect(problemsOf(docx)).toEqual([])
    const withMark = (element: string, mark: string) =>
      elementsNamed(docx.document, element)
        .filter((one) => elementsNamed(one, mark).length > 0)
        .map(textIn)
    expect(withMark("w:p", "w:bidi")).toEqual(["מטבח", "קיר white", "דלת", "חלון", "קיר"])
    expect(withMark("w:r", "w:rtl")).toEqual(["מטבח", "קיר ", "דלת", "חלון", "קיר", "קיר"])
    expect(withMark("w:tbl", "w:bidiVisual")).toEqual(["1קיר"])
  })
})
