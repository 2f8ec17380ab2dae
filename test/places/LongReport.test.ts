import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Paragraph, PatchType, patchDocument, Table, TableCell, TableRow, TextRun } from "docx"
import { Option } from "effect"
import JSZip from "jszip"
import { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import type { ReportDocument } from "../../src/places/document/ReportDocument.ts"
import { templateFile } from "../../src/places/document/Template.ts"
import { xmlOf } from "../../src/places/document/WordXml.ts"
import { processorTime } from "../support/ProcessorTime.ts"
import { zipText } from "../support/ZipText.ts"
import { openDocx, paragraphsIn, problemsOf, wordsIn } from "./DocxPackage.ts"
import { blank, documentOf, render } from "./RenderedReports.ts"
import { elementsNamed, textIn } from "./XmlTree.ts"

/** The longest time in milliseconds that was computed in one go, while nothing else could run. */
const longestGap = async <A>(work: () => Promise<A>) => {
  let longest = 0
  let last = processorTime()
  const look = () => {
    const now = processorTime()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  const result = await work()
  look()
  clearInterval(timer)
  return { longest, result }
}

/** Far above what it takes on a busy machine, and far below the seconds of a search through the whole document. */
const limit = 1_000

const ordinary =
  `${"<p>The walls are <b>white</b>.</p>".repeat(4)}<table>${"<tr><td>Wall</td><td>White</td><td>Two holes</td></tr>".repeat(12)}</table>` +
  `<ul>${"<li>scratch</li>".repeat(10)}</ul><ol><li>one</li><li>two</li></ol>`

describe("A long report", () => {
  it("yields to other work with hundreds of rooms, and is sound", async () => {
    const rooms = Array.from({ length: 250 }, () => ordinary)
    const { longest, result } = await longestGap(() => render(documentOf(rooms)))
    expect(longest).toBeLessThan(limit)
    const docx = await openDocx(result)
    expect(problemsOf(docx)).toEqual([])
    const paragraphs = paragraphsIn(docx.document)
    expect(paragraphs.filter((text) => text === "Two holes")).toHaveLength(250 * 12)
    expect(paragraphs.filter((text) => text === "250. Room")).toHaveLength(2)
  })

  it("yields to other work whatever part of it is long", async () => {
    const long: Readonly<Record<string, ReportDocument>> = {
      paragraphs: documentOf(["<p>a</p>".repeat(20_000)]),
      "lists that count": documentOf(["<ol><li>a</li></ol>".repeat(4_000)]),
      rows: documentOf([`<table>${"<tr><td>a</td></tr>".repeat(8_000)}</table>`]),
      "rows in a cell": documentOf([
        `<table><tr><td><table>${"<tr><td>a</td></tr>".repeat(8_000)}</table></td></tr></table>`
      ]),
      lines: documentOf([`<p>${"a<br />".repeat(20_000)}</p>`]),
      description: documentOf([], new PlaceDescriptionReport({ ...blank, description: "a\n".repeat(50_000) }))
    }
    for (const [name, document] of Object.entries(long)) {
      const { longest } = await longestGap(() => render(document))
      expect(longest, name).toBeLessThan(limit)
    }
  })
})

describe("A table with one wide row", () => {
  it("does not make its short rows longer, and is sound", async () => {
    const wide = `<tr>${"<td>w</td>".repeat(63)}</tr>`
    const docx = await openDocx(
      await render(documentOf([`<table>${wide}${"<tr><td>s</td></tr>".repeat(3_000)}</table>`]))
    )
    expect(problemsOf(docx)).toEqual([])
    expect(paragraphsIn(docx.document).filter((text) => text === "s")).toHaveLength(3_000)
    const cells = elementsNamed(docx.document, "w:tc").length
    expect(cells).toBeLessThan(63 + 2 * 3_000 + 100)
  })
})

describe("A value in a report", () => {
  it("stays text when it looks like the name of a picture", async () => {
    const tricky = '"rId{foo.png}" r:embed="rId{bar.jpg}"'
    const report = new PlaceDescriptionReport({ ...blank, address: tricky, description: tricky })
    const docx = await openDocx(await render(documentOf([`<p>${tricky}</p>`], report)))
    expect(problemsOf(docx)).toEqual([])
    expect(wordsIn(docx).split(tricky).length - 1).toBeGreaterThanOrEqual(3)
  })
})

describe("The XML that is written beside the patcher", () => {
  it("is what the patcher would write", async () => {
    const text = `a  "b" 'c' <d> ]]> é 👩‍👧 `
    const parts = [
      new Paragraph({ children: [] }),
      new Paragraph({ children: [new TextRun({ text, bold: true }), new TextRun({ text: "", break: 1 })] }),
      new Table({ rows: [new TableRow({ children: [new TableCell({ children: [], columnSpan: 2 })] })] })
    ]
    const patched = await patchDocument({
      outputType: "uint8array",
      data: await readFile(templateFile),
      patches: { rooms: { type: PatchType.DOCUMENT, children: parts } }
    })
    const xml = await (await JSZip.loadAsync(patched)).file("word/document.xml")?.async("text")
    expect(xml).toContain(parts.map(xmlOf).join(""))
  })
})

const line = (text: string) => `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

const ownTemplate = async (changes: Readonly<Record<string, (xml: string) => string>>) => {
  const zip = await JSZip.loadAsync(await readFile(templateFile))
  for (const [name, change] of Object.entries(changes)) {
    zip.file(name, change(await zipText(zip, name)))
  }
  return zip.generateAsync({ type: "nodebuffer" })
}

describe("An operator's own template", () => {
  it("may have a placeholder repeatedly, in pieces, in a header and among other words", async () => {
    const folder = await mkdtemp(join(tmpdir(), "casework-template-"))
    try {
      const path = join(folder, "own.docx")
      const pieces = '{{descr</w:t></w:r><w:r><w:t xml:space="preserve">iption}}'
      await writeFile(
        path,
        await ownTemplate({
          "word/document.xml": (xml) =>
            xml.replace("<w:sectPr", `${line("{{rooms}}")}${line("between")}${line("{{rooms}}")}<w:sectPr`),
          "word/header1.xml": (xml) =>
            xml.replace("</w:hdr>", `${line(`Of: ${pieces} / {{description}}.`)}${line("{{roomList}}")}</w:hdr>`)
        })
      )
      const report = new PlaceDescriptionReport({ ...blank, description: "first & {{rooms}}\nsecond" })
      const docx = await openDocx(
        await render(documentOf(["<p>One</p><ol><li>Two</li></ol>"], report), Option.some(path))
      )
      const paragraphs = paragraphsIn(docx.document)
      expect(paragraphs.filter((text) => ["One", "Two", "between"].includes(text))).toEqual([
        ...["One", "Two"],
        ...["One", "Two"],
        "between",
        ...["One", "Two"]
      ])
      const header = docx.xml.get("word/header1.xml") ?? docx.document
      expect(paragraphsIn(header)).toContain("Of: first & {{rooms}}second / first & {{rooms}}second.")
      expect(elementsNamed(header, "w:tbl").map(textIn)).toEqual(["RoomPhotos1. Room—"])
      const bold = elementsNamed(header, "w:r").filter((run) => elementsNamed(run, "w:b").length > 0)
      expect(bold.map(textIn)).toContain("second")
      expect(docx.names.map((name) => docx.bytes.get(name)?.toString() ?? "").join("")).not.toContain("casework-")
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
