import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import type { Block } from "../../src/places/document/HtmlBlocks.ts"
import { documentFileName } from "../../src/places/document/ReportDocument.ts"
import { columnsIn, tableGrid } from "../../src/places/document/TableGrid.ts"
import { fitInto } from "../../src/places/document/WordPhotos.ts"
import { withoutStandIns, wordText } from "../../src/places/document/WordText.ts"
import { cleanHtml } from "../../src/places/RoomHtml.ts"
import { openDocx, problemsOf, wordsIn } from "./DocxPackage.ts"
import { blank, blocksIn, documentOf, render } from "./RenderedReports.ts"
import { elementsNamed } from "./XmlTree.ts"

const text = (block: Block): string =>
  block.kind === "table"
    ? block.rows.map((row) => row.map((cell) => cell.blocks.map(text).join("/")).join("|")).join("\n")
    : block.runs.map((run) => (run === "break" ? "⏎" : run.text)).join("")

const outline = (html: string) =>
  blocksIn(html).map((block) =>
    block.kind === "item"
      ? `${" ".repeat(block.list.depth)}${block.isMore ? "…" : block.list.isOrdered ? `#${block.list.number}` : "-"} ${text(block)}`
      : `${block.kind === "heading" ? `h${block.level} ` : ""}${text(block)}`
  )

const inline = fc
  .array(fc.oneof(fc.string(), fc.constantFrom("<b>", "</b>", "<i>", "<u>", "<br>", "<mark>", "</mark>", " ", "\n")))
  .map((pieces) => pieces.join(""))

const anyHtml = fc
  .letrec<{ html: string }>((tie) => ({
    html: fc.oneof(
      { maxDepth: 3 },
      inline,
      inline.map((words) => `<p>${words}</p>`),
      fc.tuple(fc.integer({ min: 1, max: 6 }), inline).map(([level, words]) => `<h${level}>${words}</h${level}>`),
      fc
        .tuple(fc.constantFrom("ul", "ol", 'ol start="4"'), fc.array(tie("html"), { maxLength: 4 }))
        .map(([list, items]) => `<${list}>${items.map((item) => `<li>${item}</li>`).join("")}</${list.slice(0, 2)}>`),
      fc
        .array(
          fc.array(
            fc.record({
              tag: fc.constantFrom("td", "th"),
              across: fc.integer({ min: 1, max: 4 }),
              down: fc.integer({ min: 1, max: 4 }),
              content: tie("html")
            }),
            { maxLength: 4 }
          ),
          { maxLength: 4 }
        )
        .map(
          (rows) =>
            `<table>${rows
              .map(
                (cells) =>
                  `<tr>${cells.map(({ across, content, down, tag }) => `<${tag} colspan="${across}" rowspan="${down}">${content}</${tag}>`).join("")}</tr>`
              )
              .join("")}</table>`
        ),
      fc.array(tie("html"), { maxLength: 4 }).map((parts) => parts.join(""))
    )
  }))
  .html.map(cleanHtml)

describe("HTML as blocks", () => {
  it("is read as a browser shows it", () => {
    expect(outline("  loose <b>text</b>\n <p> a \n b </p>tail")).toEqual(["loose text", "a b", "tail"])
    expect(outline("<h2>T</h2><p>x<br>y</p><p> </p>")).toEqual(["h2 T", "x⏎y"])
    expect(outline("<ul><li>a<ol><li>b</li></ol>c</li><li><p>d</p><p>e</p></li></ul><ol><li>f</li></ol>")).toEqual([
      "- a",
      " #2 b",
      "… c",
      "- d",
      "… e",
      "#3 f"
    ])
    expect(
      outline("<table><caption>C</caption><thead><tr><th>A</th></tr></thead><tr><td>1<p>2</p></td></tr></table>")
    ).toEqual(["C", "A\n1/2"])
  })

  it("has an entry for each number of a list, even for an empty one", () => {
    expect(outline("<ol><li>a</li><li></li><li> <br> </li><li><ol><li>b</li></ol></li><li>c</li></ol>")).toEqual([
      "#1 a",
      "#1 ",
      "#1 ",
      "#1 ",
      " #2 b",
      "#1 c"
    ])
    expect(outline("<ul><li>a</li><li></li><li>b</li></ul>"), "nothing is counted").toEqual(["- a", "- b"])
  })

  it("loses no word", () => {
    const letters = (html: string) => html.replace(/<[^>]*>|&nbsp;/g, "").replace(/[\s\u00a0]/g, "")
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 6 }), (words) => {
        const html = `<ul>${words.map((word) => `<li><b>${word}</b> <u>x</u></li>`).join("")}</ul>`
        expect(blocksIn(html).map(text).join("").replaceAll(" ", "")).toBe(letters(html))
      })
    )
  })
})

describe("A table's grid", () => {
  it("has the same number of columns in every row, and every cell once", () => {
    const cell = fc.record({ columns: fc.integer({ min: 1, max: 99 }), rows: fc.integer({ min: 1, max: 99 }) })
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 6 }), (spans) => {
        const rows = spans.map((row) => row.map((span) => ({ ...span, isHeader: false, blocks: [] })))
        const grid = tableGrid(rows)
        const widths = new Set(grid.map(columnsIn))
        expect(widths.size).toBeLessThanOrEqual(1)
        expect(Math.max(0, ...widths)).toBeLessThanOrEqual(63)
        const placed = grid.flat().flatMap((place) => (place.kind === "cell" ? [place.cell] : []))
        expect(new Set(placed).size).toBe(placed.length)
      })
    )
  })
})

describe("A Word document", () => {
  it("is sound for any HTML", async () => {
    const runs = fc.asyncProperty(fc.array(anyHtml, { maxLength: 3 }), async (htmls) => {
      expect(problemsOf(await openDocx(await render(documentOf(htmls))))).toEqual([])
    })
    await fc.assert(runs, { numRuns: 12 })
  })

  it("is sound for tables in tables and lists in lists, however deep", async () => {
    const cells = (content: string) => `<table><tr>${`<td>${content}</td>`.repeat(8)}</tr></table>`
    const entries = Array.from({ length: 14 }).reduce<string>((inner) => `<ol><li>x${inner}</li></ol>`, "")
    const docx = await openDocx(await render(documentOf([cells(cells(cells("deep"))), entries])))
    expect(problemsOf(docx)).toEqual([])
    expect(wordsIn(docx).split("deep").length - 1).toBe(512)
  })

  it("numbers every list from one", async () => {
    const list = "<ol><li>a</li><li>b<ol><li>c</li></ol></li></ol>"
    const { document, xml } = await openDocx(await render(documentOf([list, `<ul><li>x</li></ul>${list}`])))
    const numbers = elementsNamed(document, "w:numId").map(({ attributes }) => attributes["w:val"])
    expect(new Set(numbers).size).toBe(5)
    const lists = elementsNamed(xml.get("word/numbering.xml") ?? document, "w:num")
    const restarted = lists.filter(
      (list) => numbers.includes(list.attributes["w:numId"]) && elementsNamed(list, "w:startOverride").length > 0
    )
    expect(restarted).toHaveLength(4)
  })

  it("starts a list at its given number, on its own level", async () => {
    const html =
      '<ol><li>a</li></ol><p>between</p><ol start="12"><li>b<ol start="3"><li>c</li></ol></li></ol><ul><li><ol start="7"><li>d</li></ol></li></ul>'
    const docx = await openDocx(await render(documentOf([html])))
    expect(problemsOf(docx)).toEqual([])
    const lists = elementsNamed(docx.xml.get("word/numbering.xml") ?? docx.document, "w:num")
    const starts = lists
      .map((list) => elementsNamed(list, "w:startOverride").map(({ attributes }) => attributes["w:val"]))
      .filter(({ length }) => length > 1)
    const ones = ["1", "1", "1", "1", "1", "1", "1"]
    expect(starts).toEqual([
      ["1", "1", ...ones],
      ["12", "1", ...ones],
      ["1", "3", ...ones],
      ["1", "7", ...ones]
    ])
  })

  it("never treats a value as a placeholder", async () => {
    const names = ["address", "caseNumber", "rooms", "photos", "heroPhoto", "roomList", "description"]
    const tricky = names.map((name) => `{{${name}}}`).join(" ")
    const report = new PlaceDescriptionReport({
      ...blank,
      address: tricky,
      caseNumber: tricky,
      description: tricky
    })
    const docx = await openDocx(await render(documentOf([`<p>${tricky}</p>`], report)))
    expect(problemsOf(docx)).toEqual([])
    expect(wordsIn(docx).split(tricky).length - 1).toBeGreaterThanOrEqual(6)
  })
})

describe("Text in Word", () => {
  it("keeps readable characters and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (written) => {
        const safe = wordText(written)
        expect(safe).not.toMatch(/[{ɵ&\p{Cc}\ufffe\uffff]/u)
        const shown = withoutStandIns(safe).replaceAll("&amp;", "&")
        expect(shown).toBe(
          written
            .toWellFormed()
            .replace(/[\t\n\r]+/g, " ")
            .replace(/[\p{Cc}\ufdd0-\ufdef\ufffe\uffff]/gu, "")
        )
      })
    )
  })
})

describe("A picture in Word", () => {
  it("keeps its proportions and fits its box", () => {
    const size = fc.integer({ min: 1, max: 2048 })
    fc.assert(
      fc.property(size, size, (widthPx, heightPx) => {
        const { height, width } = fitInto({ widthPx, heightPx }, { width: 300, height: 225 })
        expect(width).toBeLessThanOrEqual(300)
        expect(height).toBeLessThanOrEqual(225)
        expect(width === 300 || height === 225).toBe(true)
        expect(Math.abs(width * heightPx - height * widthPx)).toBeLessThanOrEqual(Math.max(widthPx, heightPx))
      })
    )
  })
})

describe("The name of the file", () => {
  it("is a valid file name everywhere, whatever the case number", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 255, size: "max" }), (caseNumber) => {
        const name = documentFileName(new PlaceDescriptionReport({ ...blank, caseNumber }))
        expect(name).toMatch(/^[^\s.\\/:*?"<>|\p{Cc}][^\\/:*?"<>|\p{Cc}]*\.docx$/u)
        expect(name.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      })
    )
  })
})
