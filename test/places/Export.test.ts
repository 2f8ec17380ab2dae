import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, layer } from "@effect/vitest"
import contentDisposition from "content-disposition"
import { Effect, Layer } from "effect"
import JSZip from "jszip"
import { docxType } from "../../schema/PlaceDescriptionReports.ts"
import { expectError } from "../http/ErrorBody.ts"
import { baseUrl, clientOf, headerOf, send, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { zipText } from "../support/ZipText.ts"
import { openDocx, paragraphsIn, picturesIn, problemsOf, wordsIn } from "./DocxPackage.ts"
import { draw, formOf, newRoom, reportsPath, rowsOf, upload } from "./Places.ts"
import { elementsNamed, textIn } from "./XmlTree.ts"

const exported = (reportID: number, query = "", username = "acme-admin") =>
  Effect.gen(function* () {
    const [base, token] = [yield* baseUrl, yield* tokenOf(username)]
    return yield* Effect.promise(async () => {
      const response = await fetch(`${base}${reportsPath}/${reportID}/export/docx${query}`, {
        headers: { authorization: `Bearer ${token}` }
      })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    })
  })

/** Exports a report, and expects a document that opens without repair. */
const soundDocx = (reportID: number, query = "", username = "acme-admin") =>
  Effect.gen(function* () {
    const { bytes, response } = yield* exported(reportID, query, username)
    expect(response.status, bytes.toString("latin1").slice(0, 500)).toBe(200)
    const docx = yield* Effect.promise(() => openDocx(bytes))
    expect(problemsOf(docx)).toEqual([])
    return docx
  })

const demoReport = Effect.gen(function* () {
  const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
  const { items } = yield* reports.listPlaceDescriptionReports({ urlParams: { search: "SOC-2026-0117" } })
  return (yield* Effect.fromNullable(items[0])).placeDescriptionReportID
})

const fileNameOf = ({ headers }: Response) =>
  contentDisposition.parse(headerOf({ headers }, "content-disposition")).parameters["filename"]

const hostile =
  '\u0001\u0008\u000b\u001f\u007f\u0085\ufffe\uffff ]]> <w:p/> &amp; & "q" \' {{address}} {{rooms}} {{ {{{ ɵ \ufdd0 ‮ 👩‍👧 ﷺ'

/** What a reader sees of it. */
const readable = ']]> <w:p/> &amp; & "q" \' {{address}} {{rooms}} {{ {{{ ɵ'

layer(testApp(), { excludeTestServices: true })("The Word document of a report", (it) => {
  it.effect("contains the whole report, and opens without repair", () =>
    Effect.gen(function* () {
      const reportID = yield* demoReport
      const { bytes, response } = yield* exported(reportID)
      expect(response.headers.get("content-type")).toBe(docxType)
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="SOC-2026-0117.docx"')
      expect(bytes.subarray(0, 2).toString()).toBe("PK")
      const docx = yield* soundDocx(reportID)
      const words = wordsIn(docx)
      for (const part of [
        "Schedule of Condition",
        "12 Orchard Lane, Flat 3, Springfield",
        "Orchard Lane Housing Association",
        "The incoming tenants of flat 3",
        "31 March 2026",
        "Furniture, floors under fixed units",
        "Signatures"
      ]) {
        expect(words).toContain(part)
      }
      expect(words).not.toMatch(/\{\{\w+\}\}/)
      const header = docx.xml.get("word/header1.xml")
      expect(header === undefined ? "" : textIn(header)).toBe("SOC-2026-011712 Orchard Lane, Flat 3, Springfield")
      const footer = docx.bytes.get("word/footer1.xml")?.toString() ?? ""
      expect(footer).toMatch(/PAGE.*NUMPAGES/s)
      const properties = docx.bytes.get("docProps/core.xml")?.toString() ?? ""
      expect(properties).toContain("<cp:lastModifiedBy>Casework<")
      const dates = [...properties.matchAll(/<dcterms:\w+ [^>]*>([^<]*)/g)].map(([, date = ""]) => Date.parse(date))
      expect(dates.map((date) => Math.abs(Date.now() - date) < 600_000)).toEqual([true, true])

      const paragraphs = paragraphsIn(docx.document)
      const order = [
        "1. Kitchen",
        "Photo 1 – Kitchen",
        "2. Living room",
        "Photo 4 – Living room",
        "3. Bathroom",
        "Photo 7 – Bathroom"
      ]
      const places = order.map((text) => paragraphs.lastIndexOf(text))
      expect(places.every((place) => place > 0)).toBe(true)
      expect([...places].sort((a, b) => a - b)).toEqual(places)
      // The hero photo, and the seven photos of the rooms.
      expect(picturesIn(docx)).toHaveLength(8)
      expect(elementsNamed(docx.document, "w:drawing")).toHaveLength(8)

      const [kitchenList] = elementsNamed(docx.document, "w:tbl").filter((table) =>
        textIn(table).startsWith("ItemCondition")
      )
      expect(kitchenList === undefined ? [] : elementsNamed(kitchenList, "w:tr").map(textIn)).toEqual([
        "ItemConditionRemarks",
        "WorktopwornGrey laminate, two small burns to the left of the hob",
        "SinkwornStainless steel, scratched; the tap may drip",
        "Wall unitsgoodFive doors, all close properly"
      ])
      const marked = elementsNamed(docx.document, "w:r").filter((run) => elementsNamed(run, "w:highlight").length > 0)
      expect(marked.map(textIn)).toContain("the tap may drip")
      const runWith = (mark: string) =>
        elementsNamed(docx.document, "w:r")
          .filter((run) => elementsNamed(run, mark).length > 0)
          .map(textIn)
      expect(runWith("w:b")).toContain("hairline crack of about 40 cm")
      expect(runWith("w:i")).toContain("worn to the wood")
      expect(runWith("w:u")).toContain("one scratch of about 60 cm")
      const levels = elementsNamed(docx.document, "w:p").flatMap((paragraph) =>
        elementsNamed(paragraph, "w:ilvl").map(({ attributes }) => [attributes["w:val"], textIn(paragraph)])
      )
      expect(levels).toContainEqual(["0", "Window: double glazed, opens and closes."])
      expect(levels).toContainEqual(["1", "The left handle is loose."])
    })
  )

  it.effect("puts photos below their rooms, at the end or nowhere, and the hero photo once or twice", () =>
    Effect.gen(function* () {
      const reportID = yield* demoReport
      for (const query of ["?photoPlacement=atEnd", "?PhotoPlacement=AT-END"]) {
        const paragraphs = paragraphsIn((yield* soundDocx(reportID, query)).document)
        expect(paragraphs.indexOf("Photo 1 – Kitchen")).toBeGreaterThan(paragraphs.lastIndexOf("Ceiling"))
        expect(paragraphs).toContain("Photographs")
      }
      for (const query of ["?photoPlacement=per-room", "?photoPlacement=PERROOM"]) {
        const paragraphs = paragraphsIn((yield* soundDocx(reportID, query)).document)
        expect(paragraphs.indexOf("Photo 1 – Kitchen")).toBeLessThan(paragraphs.lastIndexOf("2. Living room"))
        expect(paragraphs).not.toContain("Photographs")
      }
      const without = yield* soundDocx(reportID, "?includePhotos=false&photoPlacement=atEnd")
      expect(picturesIn(without)).toEqual([])
      expect(elementsNamed(without.document, "w:drawing")).toEqual([])
      const twice = yield* soundDocx(reportID, "?excludeHeroPhoto=false")
      expect(picturesIn(twice)).toHaveLength(8)
      expect(elementsNamed(twice.document, "w:drawing")).toHaveLength(9)
      const token = yield* tokenOf("acme-admin")
      for (const query of ["?photoPlacement=beside", "?includePhotos=maybe", "?excludeHeroPhoto=2"]) {
        expectError(yield* sendJson("GET", `${reportsPath}/${reportID}/export/docx${query}`, { token }), 400, /must be/)
      }
    })
  )

  it.effect("accepts any text in any field", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports, placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const fields = {
        clientNames: hostile,
        caseNumber: hostile,
        description: `${hostile}\r\n${hostile}`,
        landlords: hostile,
        tenants: hostile,
        address: hostile
      }
      const { placeDescriptionReportID: reportID } = yield* reports.createPlaceDescriptionReport({ payload: fields })
      const path = { reportId: reportID }
      const escaped = hostile.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
      const room = yield* rooms.createPlaceDescriptionRoom({
        path,
        payload: {
          name: hostile,
          transcriptHtml: `<h2>${escaped}</h2><ul><li>${escaped}</li></ul><table><tr><td>${escaped}</td></tr></table>`
        }
      })
      yield* rooms.createPlaceDescriptionRoom({ path, payload: { transcriptRaw: `${hostile}\n\n${hostile}` } })
      yield* Effect.flatMap(upload(room.placeDescriptionRoomID, formOf([{ bytes: yield* draw(30, 20) }])), rowsOf)
      const docx = yield* soundDocx(reportID)
      const shown = wordsIn(docx)
        .split("\n")
        .filter((line) => line.includes(readable))
      // Six fields, one of them with two lines, twice in a header; and a name, a caption, a heading, an entry, a cell, two notes.
      expect(shown.length).toBeGreaterThanOrEqual(14)
      expect(yield* Effect.map(exported(reportID), ({ response }) => fileNameOf(response))).toMatch(
        /^[^\\/:*?"<>|\p{Cc}]+\.docx$/u
      )
    })
  )

  it.effect("is named after the case number, whatever that is", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const names: ReadonlyArray<readonly [string | null, string]> = [
        ["SOC 2026/17", "SOC 2026_17.docx"],
        ["Straße №5 – Größe", "Straße №5 – Größe.docx"],
        ["Größe", "Größe.docx"],
        ['a"b\\c', "a_b_c.docx"],
        ["../../etc/passwd", "_.._etc_passwd.docx"],
        ["Report.docx", "Report.docx"],
        ["100% 'quoted'", "100% 'quoted'.docx"],
        ["👩‍👧", "👩_👧.docx"],
        ["con", "_con.docx"],
        ["LPT1.2026", "_LPT1.2026.docx"],
        ["Console", "Console.docx"],
        ["報告".repeat(100), `${"報告".repeat(33)}.docx`],
        ["///", "PlaceDescription-<id>.docx"],
        [null, "PlaceDescription-<id>.docx"]
      ]
      for (const [caseNumber, expected] of names) {
        const { placeDescriptionReportID: id } = yield* reports.createPlaceDescriptionReport({
          payload: { caseNumber }
        })
        const { response } = yield* exported(id)
        expect(fileNameOf(response)).toBe(expected.replace("<id>", String(id)))
        expect(response.headers.get("content-disposition")).toMatch(/^[ -~]*$/)
      }
    })
  )

  it.effect("is sound for an empty report, and for empty rooms", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports, placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { placeDescriptionReportID: id } = yield* reports.createPlaceDescriptionReport({ payload: {} })
      expect(wordsIn(yield* soundDocx(id, "?photoPlacement=atEnd"))).toContain("No rooms have been described yet.")
      yield* rooms.createPlaceDescriptionRoom({ path: { reportId: id }, payload: {} })
      expect(wordsIn(yield* soundDocx(id))).toContain("1. Unnamed room")
    })
  )

  it.effect("shows WebP as JPEG, in the order of the photos", () =>
    Effect.gen(function* () {
      const { reportID, roomID } = yield* newRoom()
      const form = formOf([
        { bytes: yield* draw(300, 20, "webp"), name: "a.webp", type: "image/webp" },
        { bytes: yield* draw(30, 400, "png"), name: "b.png", type: "image/png" },
        { bytes: yield* draw(40, 40), name: "c.jpg" }
      ])
      yield* Effect.flatMap(upload(roomID, form), rowsOf)
      const docx = yield* soundDocx(reportID)
      expect(
        picturesIn(docx)
          .map((name) => name.slice(-3))
          .sort()
      ).toEqual(["jpg", "jpg", "png"])
      const sizes = elementsNamed(docx.document, "wp:extent").map(
        ({ attributes }) => Number(attributes["cx"]) / Number(attributes["cy"])
      )
      expect(sizes.map((ratio) => Math.round(ratio * 100) / 100)).toEqual([15, expect.closeTo(0.075, 1), 1])
    })
  )

  it.effect("is available to the report's customer only", () =>
    Effect.gen(function* () {
      const reportID = yield* demoReport
      const { response } = yield* exported(reportID, "", "initech-admin")
      expect(response.status).toBe(404)
      expect((yield* send("GET", `${reportsPath}/${reportID}/export/docx`)).status).toBe(401)
    })
  )

  it.effect("becomes a PDF in LibreOffice, where that is installed", () =>
    Effect.gen(function* () {
      const { bytes } = yield* exported(yield* demoReport)
      yield* Effect.promise(async () => {
        const run = promisify(execFile)
        const folder = await mkdtemp(join(tmpdir(), "casework-docx-"))
        try {
          await writeFile(join(folder, "report.docx"), bytes)
          const profile = `-env:UserInstallation=file://${folder}/profile`
          const converted = await run("soffice", [profile, "--headless", "--convert-to", "pdf", "report.docx"], {
            cwd: folder,
            timeout: 500_000
          }).catch((error: NodeJS.ErrnoException) => {
            if (error.code === "ENOENT") return undefined
            throw error
          })
          if (converted === undefined) return
          const pdf = await readFile(join(folder, "report.pdf"))
          expect(pdf.subarray(0, 5).toString()).toBe("%PDF-")
          expect(pdf.length).toBeGreaterThan(50_000)
        } finally {
          await rm(folder, { recursive: true, force: true })
        }
      })
    })
  )
})

const temporaryTemplate = (change: (zip: JSZip) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "casework-template-"))
      const zip = await JSZip.loadAsync(await readFile("src/places/document/condition-report.docx"))
      change(zip)
      const path = join(folder, "own.docx")
      await writeFile(path, await zip.generateAsync({ type: "nodebuffer" }))
      return { folder, path }
    }),
    ({ folder }) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )

const withoutLists = (zip: JSZip) => {
  zip.remove("word/numbering.xml")
}

const changeText = async (zip: JSZip, name: string, change: (text: string) => string) =>
  zip.file(name, change(await zipText(zip, name)))

const ownTemplate = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { path } = yield* temporaryTemplate(withoutLists)
    yield* Effect.promise(async () => {
      const zip = await JSZip.loadAsync(await readFile(path))
      await changeText(zip, "[Content_Types].xml", (xml) => xml.replace(/<Override[^>]*numbering[^>]*\/>/, ""))
      await changeText(zip, "word/_rels/document.xml.rels", (xml) =>
        xml.replace(/<Relationship [^>]*numbering[^>]*\/>/, "")
      )
      // As Word saves it after an edit in the middle of a placeholder; and without some of the placeholders.
      await changeText(zip, "word/document.xml", (xml) =>
        xml
          .replace("{{description}}", '{{descr</w:t></w:r><w:r><w:t xml:space="preserve">iption}}')
          .replace("{{roomList}}", "")
          .replace("{{heroPhoto}}", "Our own front page")
      )
      await writeFile(path, await zip.generateAsync({ type: "nodebuffer" }))
    })
    return testApp({ DOCX_TEMPLATE: path })
  })
)

layer(ownTemplate, { excludeTestServices: true })("An operator's own template", (it) => {
  it.effect("is used with the placeholders that it has", () =>
    Effect.gen(function* () {
      const docx = yield* soundDocx(yield* demoReport)
      const words = wordsIn(docx)
      expect(words).toContain("Our own front page")
      expect(words).toContain("Furniture, floors under fixed units")
      expect(docx.names).toContain("word/numbering.xml")
      expect(elementsNamed(docx.document, "w:drawing")).toHaveLength(7)
    })
  )
})

layer(testApp({ DOCX_TEMPLATE: "/nowhere/template.docx" }), { excludeTestServices: true })(
  "A missing template",
  (it) => {
    it.effect("gives a 500 that says so, without its path", () =>
      Effect.gen(function* () {
        const token = yield* tokenOf("acme-admin")
        const answer = yield* sendJson("GET", `${reportsPath}/${yield* demoReport}/export/docx`, { token })
        expectError(answer, 500, /template of the DOCX export is missing/)
        expect(answer.text).not.toContain("nowhere")
      })
    )
  }
)

layer(testApp({ DOCX_TEMPLATE: "package.json" }), { excludeTestServices: true })("A non-Word template", (it) => {
  it.effect("gives a 500 that says so", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const answer = yield* sendJson("GET", `${reportsPath}/${yield* demoReport}/export/docx`, { token })
      expectError(answer, 500, /not a Word document/)
    })
  )
})
