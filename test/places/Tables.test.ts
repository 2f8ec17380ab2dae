import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import JSZip from "jszip"
import { makeAllowance } from "../../src/places/document/Allowance.ts"
import type { Block, Cell } from "../../src/places/document/HtmlBlocks.ts"
import { tableGrid } from "../../src/places/document/TableGrid.ts"
import { cleanHtml } from "../../src/places/RoomHtml.ts"
import { zipText } from "../support/ZipText.ts"
import { openDocx, paragraphsIn, problemsOf } from "./DocxPackage.ts"
import { blocksIn, documentOf, render } from "./RenderedReports.ts"
import { elementsNamed, textIn } from "./XmlTree.ts"

const docxOf = async (html: string) => {
  const docx = await openDocx(await render(documentOf([cleanHtml(html)])))
  expect(problemsOf(docx)).toEqual([])
  return docx
}

const paragraph = (text: string): Block => ({
  kind: "paragraph",
  runs: [{ text, bold: false, italic: false, underline: false, strike: false, review: false }]
})

const cell = (text: string, spans: Partial<Cell> = {}): Cell => ({
  isHeader: false,
  columns: 1,
  rows: 1,
  blocks: [paragraph(text)],
  ...spans
})

const wordsOf = ({ blocks }: Cell) =>
  blocks.flatMap((block) => (block.kind === "table" ? [] : block.runs.map((run) => (run === "break" ? "" : run.text))))

/** Draws a cell of one row as a letter, a taller one as a capital, and what is covered or empty as a sign. */
const drawn = (rows: ReadonlyArray<ReadonlyArray<Cell>>, covering = makeAllowance()) =>
  tableGrid(rows, covering).map((row) =>
    row
      .map((place) => {
        if (place.kind !== "cell") return (place.kind === "covered" ? "^" : ".").repeat(place.columns)
        const letter = wordsOf(place.cell).join("").padEnd(place.columns, "-")
        return place.isTall ? letter.toUpperCase() : letter
      })
      .join("")
  )

describe("A table's cells over several rows", () => {
  it("cover the rows below, as far as those have cells of their own", () => {
    expect(drawn([[cell("a", { rows: 2 }), cell("b")], [cell("c")], [cell("d"), cell("e")]])).toEqual([
      "Ab",
      "^c",
      "de"
    ])
    expect(drawn([[cell("a"), cell("b"), cell("c", { rows: 2 })], [cell("d")]])).toEqual(["abC", "d.^"])
    expect(drawn([[cell("a", { rows: 3 }), cell("b", { rows: 99 })], [], [cell("c")], [], [cell("d")]])).toEqual([
      "AB.",
      "^^c",
      "d^."
    ])
    expect(drawn([[cell("a", { rows: 99 }), cell("b", { rows: 99 })], [], []])).toEqual(["ab"])
    expect(drawn([[cell("a"), cell("b", { rows: 2 })], [cell("c", { columns: 5 })]])).toEqual(["aB", "c^"])
    expect(drawn([[cell("a", { columns: 2, rows: 2 })], [cell("b"), cell("c", { columns: 2 })]])).toEqual([
      "A-...",
      "^^bc-"
    ])
  })

  it("are reduced to one row when a document has too many of them", () => {
    const rows = [[cell("a", { rows: 3 }), cell("b")], [cell("c")], [cell("d")]]
    const covering = makeAllowance(3)
    expect(drawn(rows, covering)).toEqual(["Ab", "^c", "^d"])
    expect(drawn(rows, covering)).toEqual(["ab", "c.", "d."])
  })

  it("hold every text once, in order, however many they are", () => {
    const span = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 99 }))
    const anyRows = fc.array(fc.array(fc.record({ columns: span, rows: span }), { maxLength: 80 }), { maxLength: 6 })
    fc.assert(
      fc.property(anyRows, fc.nat(200), (spans, most) => {
        const number = spans.flat().length
        const before = spans.map((_, index) => spans.slice(0, index).flat().length)
        const rows = spans.map((row, at) => row.map((one, index) => cell(`${(before[at] ?? 0) + index + 1}`, one)))
        const covering = makeAllowance(most)
        const places = tableGrid(rows, covering).flat()
        const words = places.flatMap((place) => (place.kind === "cell" ? wordsOf(place.cell) : []))
        expect(words).toEqual(Array.from({ length: number }, (_, index) => `${index + 1}`))
        const covered = places.filter(({ kind }) => kind === "covered").length
        expect(covered).toBe(most - covering.left)
      })
    )
  })
})

describe("A table in Word", () => {
  it("stays small when its text is small", async () => {
    const empty = `<tr>${'<td rowspan="99">x</td>'.repeat(63)}</tr>${"<tr></tr>".repeat(98)}`
    const thin = `<tr>${'<td rowspan="99">x</td>'.repeat(62)}<td>y</td></tr>${"<tr><td>y</td></tr>".repeat(98)}`
    const file = await render(documentOf([`<table>${empty.repeat(20)}</table><table>${thin.repeat(20)}</table>`]))
    const xml = await zipText(await JSZip.loadAsync(file), "word/document.xml")
    const count = (part: string) => xml.split(part).length - 1
    expect(count("<w:tc>")).toBeLessThan(60_000)
    expect(count(">x</w:t>")).toBe(20 * (63 + 62))
    expect(count(">y</w:t>")).toBe(20 * 99)
  })

  it("puts the cells beyond Word's columns into its last column", async () => {
    const { document } = await docxOf(
      `<table><tr>${Array.from({ length: 70 }, (_, index) => `<td>c${index + 1}</td>`).join("")}</tr></table>`
    )
    const table = elementsNamed(document, "w:tbl").find((one) => textIn(one).includes("c70"))
    expect(table === undefined ? [] : elementsNamed(table, "w:tc").map(textIn).slice(-2)).toEqual([
      "c62",
      "c63c64c65c66c67c68c69c70"
    ])
  })

  it("keeps all its text: of cells without a row, and outside of any cell", async () => {
    const read = async (html: string) =>
      paragraphsIn((await docxOf(`<p>begin</p>${html}<p>end</p>`)).document)
        .join("|")
        .replace(/^.*\|begin\|(.*?)\|end\|.*$/s, "$1")
    expect(await read("<table><td>a</td> <td>b</td><tr><td>c</td></tr></table>")).toBe("a|b|c||")
    expect(await read("<table><tbody>stray<tr>loose<td>a</td>tail</tr></tbody>foot</table>")).toBe(
      "stray|loose|tail|foot|a|"
    )
    expect(await read("<table><table><tr><td>x</td></tr></table>y</table>")).toMatch(/x.*y/)
    expect(await read("<tr><td>a</td><td>b</td></tr>")).toBe("a|b")
    expect(await read("<table><caption>c</caption><b><tr><td>x</td></tr></b></table>")).toMatch(/c.*x/)
  })

  it("loses no word of any HTML", () => {
    const names = ["table", "tbody", "thead", "tr", "td", "th", "caption", "p", "ul", "li", "b", "div", "section"]
    const pieces = fc.oneof(
      fc.integer({ min: 1, max: 99 }).map((number) => ({ text: `w${number}` })),
      fc.constantFrom(...names).map((name) => ({ text: `<${name}>` })),
      fc.constantFrom(...names).map((name) => ({ text: `</${name}>` }))
    )
    const words = (text: string) => (text.match(/w\d+/g) ?? []).sort()
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const html = cleanHtml(parts.map(({ text }) => text).join(" "))
        expect(words(JSON.stringify(blocksIn(html)))).toEqual(words(parts.map(({ text }) => text).join(" ")))
      }),
      { numRuns: 500 }
    )
  })
})

describe("Marks around blocks", () => {
  it("cover all the text in them", async () => {
    const { document } = await docxOf(
      '<span class="review"><p>X</p><ul><li>Y</li></ul></span><mark><table><tr><td>Z</td></tr></table></mark><strong><ul><li>B<ol><li>C</li></ol></li></ul><h2>D</h2></strong><p>plain</p>'
    )
    const runsWith = (mark: string) =>
      elementsNamed(document, "w:r")
        .filter((run) => elementsNamed(run, mark).length > 0)
        .map(textIn)
    expect(runsWith("w:highlight")).toEqual(["X", "Y", "Z"])
    expect(runsWith("w:b")).toEqual(expect.arrayContaining(["B", "C", "D"]))
    expect(runsWith("w:b")).not.toContain("plain")
  })
})
