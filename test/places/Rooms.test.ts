import { describe, expect, layer, it as plainIt } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { PlaceDescriptionReportID } from "../../schema/Ids.ts"
import { cleanHtml, htmlOfAnswer, markReviews } from "../../src/places/RoomHtml.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"
import { newRoom, reportsPath } from "./Places.ts"

const review = (text: string) => `<span class="review" style="background-color:#fff59d">${text}</span>`

layer(testApp(), { excludeTestServices: true })("The rooms of a report", (it) => {
  it.effect("come in their order: given, or after the last", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports, placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { reportID } = yield* newRoom({ name: "first" })
      const path = { reportId: reportID }
      const create = (name: string, sortOrder?: number) =>
        rooms.createPlaceDescriptionRoom({
          path,
          payload: { name, ...(sortOrder !== undefined && { sortOrder }) }
        })
      yield* create("before all", -5)
      yield* create("with the first", 1)
      expect((yield* create("after the last")).sortOrder).toBe(2)
      yield* create("far away", 2 ** 31 - 1)
      expect((yield* create("still last")).sortOrder).toBe(2 ** 31 - 1)
      const names = ["before all", "first", "with the first", "after the last", "far away", "still last"]
      expect((yield* rooms.listPlaceDescriptionRooms({ path })).map(({ name }) => name)).toEqual(names)
      const detail = yield* reports.getPlaceDescriptionReport({ path: { id: reportID } })
      expect(detail.rooms.map(({ name }) => name)).toEqual(names)
    })
  )

  it.effect("get orders of their own when several are added at once", () =>
    Effect.gen(function* () {
      const { placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { reportID } = yield* newRoom()
      const add = rooms.createPlaceDescriptionRoom({ path: { reportId: reportID }, payload: {} })
      const made = yield* Effect.all([add, add, add, add], { concurrency: "unbounded" })
      expect(made.map(({ sortOrder }) => sortOrder).sort()).toEqual([2, 3, 4, 5])
    })
  )

  it.effect("are changed in part and deleted", () =>
    Effect.gen(function* () {
      const { placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { reportID, roomID } = yield* newRoom({ name: "Hall", transcriptRaw: "notes" })
      const path = { roomId: roomID }
      const only = Effect.map(rooms.listPlaceDescriptionRooms({ path: { reportId: reportID } }), ([room]) => room)
      expect(yield* only).toMatchObject({
        placeDescriptionRoomID: roomID,
        placeDescriptionReportID: reportID,
        name: "Hall",
        sortOrder: 1,
        transcriptRaw: "notes",
        transcriptHtml: null,
        lastTransformedAtUtc: null,
        modelIdUsed: null,
        photos: []
      })
      yield* rooms.updatePlaceDescriptionRoom({ path, payload: { sortOrder: 7 } })
      yield* rooms.updatePlaceDescriptionRoom({ path, payload: { name: null, transcriptHtml: "<p>Good.</p>" } })
      expect(yield* only).toMatchObject({
        name: null,
        sortOrder: 7,
        transcriptRaw: "notes",
        transcriptHtml: "<p>Good.</p>"
      })
      yield* rooms.deletePlaceDescriptionRoom({ path })
      expect(yield* only).toBeUndefined()
      for (const gone of [
        rooms.deletePlaceDescriptionRoom({ path }),
        rooms.updatePlaceDescriptionRoom({ path, payload: {} }),
        rooms.listPlaceDescriptionRoomVersions({ path }),
        rooms.transformPlaceDescriptionRoom({ path, payload: {} }),
        rooms.listPlaceDescriptionRooms({ path: { reportId: PlaceDescriptionReportID.make(2_000_000_000) } })
      ]) {
        expect(yield* Effect.flip(Effect.asVoid(gone))).toMatchObject({ status: 404 })
      }
    })
  )

  it.effect("refuse what does not fit", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const wrong = { name: "x".repeat(256), sortOrder: 1.5, transcriptRaw: 5, transcriptHtml: "x".repeat(500_001) }
      const paths = Object.keys(wrong).sort()
      expect((yield* refusedPaths("POST", `${reportsPath}/${reportID}/rooms`, token, wrong)).sort()).toEqual(paths)
      const room = `/api/PlaceDescriptionRooms/${roomID}`
      expect((yield* refusedPaths("PUT", room, token, wrong)).sort()).toEqual(paths)
      expect(yield* refusedPaths("PUT", room, token, { sortOrder: null })).toEqual(["sortOrder"])
    })
  )

  it.effect("keep every HTML that was replaced, and give it back", () =>
    Effect.gen(function* () {
      const { placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { roomID } = yield* newRoom()
      const path = { roomId: roomID }
      const write = (transcriptHtml: string | null) =>
        rooms.updatePlaceDescriptionRoom({ path, payload: { transcriptHtml } })
      const kept = Effect.map(rooms.listPlaceDescriptionRoomVersions({ path }), (all) =>
        all.map(({ transcriptHtml }) => transcriptHtml)
      )
      yield* write("<p>one</p>")
      expect(yield* kept).toEqual([])
      yield* write("<p>one</p>")
      expect(yield* kept, "the same again is no change").toEqual([])
      yield* write("<p>two</p>")
      yield* write(null)
      yield* write("<p>three</p>")
      expect(yield* kept).toEqual(["<p>two</p>", "<p>one</p>"])

      const versions = yield* rooms.listPlaceDescriptionRoomVersions({ path })
      const oldest = yield* Effect.fromNullable(versions.at(-1))
      expect(oldest).toMatchObject({ modelIdUsed: null, customerRepID: expect.any(Number) })
      const restore = rooms.restorePlaceDescriptionRoomVersion({
        path: { ...path, versionId: oldest.placeDescriptionRoomVersionID }
      })
      expect(yield* restore).toMatchObject({ transcriptHtml: "<p>one</p>", placeDescriptionRoomID: roomID })
      expect(yield* kept).toEqual(["<p>three</p>", "<p>two</p>", "<p>one</p>"])
      yield* restore
      expect(yield* kept, "restoring what stands there is no change").toHaveLength(3)

      const other = yield* newRoom()
      const strange = rooms.restorePlaceDescriptionRoomVersion({
        path: { roomId: other.roomID, versionId: oldest.placeDescriptionRoomVersionID }
      })
      expect(yield* Effect.flip(strange)).toMatchObject({ status: 404 })
    })
  )

  it.effect("hold clean HTML only, whoever wrote it", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const transcriptHtml =
        '<h2 onclick="x()">A</h2><script>alert(1)</script><p style="color:red">b <a href="javascript:1">c</a><img src=x onerror=alert(1)></p>'
      yield* sendJson("PUT", `/api/PlaceDescriptionRooms/${roomID}`, { token, body: { transcriptHtml } })
      const created = yield* sendJson("POST", `${reportsPath}/${reportID}/rooms`, { token, body: { transcriptHtml } })
      expect(created.json).toMatchObject({ transcriptHtml: "<h2>A</h2><p>b c</p>" })
      const { json } = yield* sendJson("GET", `${reportsPath}/${reportID}/rooms`, { token })
      expect(json).toMatchObject([{ transcriptHtml: "<h2>A</h2><p>b c</p>" }, {}])
      const nothing = yield* sendJson("POST", `${reportsPath}/${reportID}/rooms`, {
        token,
        body: { transcriptHtml: "<script>1</script>" }
      })
      expect(nothing.json).toMatchObject({ transcriptHtml: null })
    })
  )
})

const tagsIn = (html: string) => Array.from(html.matchAll(/<\/?([^\s>/]*)/g), ([, name]) => name)

const allowed = new Set(
  "h1 h2 h3 h4 h5 h6 p br ul ol li table caption thead tbody tfoot tr th td strong b em i u s span".split(" ")
)

const markup = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...'<p>|</p>|<b>|</b>|<ul><li>|</li></ul>|<span class="review">|</span>|<mark>|</mark>|<script>|</script>'.split(
          "|"
        ),
        ...'<svg onload=x>|<td colspan="3">|</td>|<td rowspan="999">|<a href="javascript:x">|<!--|-->|[[|]]|&lt;|&amp;|&#x3c;'.split(
          "|"
        ),
        ...'<style>|</style>|<iframe src=x>|<math>|<p style="position:fixed">|<title>|"|\'|`|\u0000'.split("|")
      )
    ),
    { maxLength: 30 }
  )
  .map((pieces) => pieces.join(""))

describe("The HTML of a room", () => {
  plainIt("has only what a report may have, and cleaning it again changes nothing", () => {
    fc.assert(
      fc.property(markup, (html) => {
        const clean = cleanHtml(html)
        expect(tagsIn(clean).filter((tag) => !allowed.has(tag ?? ""))).toEqual([])
        const attributes = Array.from(clean.matchAll(/<\w+ ([^>]*)>/g), ([, text]) => text)
        for (const text of attributes) {
          expect(text).toMatch(
            /^(?:\/|class="review" style="background-color:#fff59d"|(?:colspan|rowspan)="\d{1,2}"(?: (?:col|row)span="\d{1,2}")?)$/
          )
        }
        expect(cleanHtml(clean)).toBe(clean)
      }),
      { numRuns: 500 }
    )
  })

  plainIt("marks what stands between [[ and ]], also across tags", () => {
    expect(markReviews("<p>a [[b]] c</p>")).toBe(`<p>a ${review("b")} c</p>`)
    expect(markReviews("<p>[[a <b>b</b></p><p>c]] d</p>")).toBe(
      `<p>${review("a ")}<b>${review("b")}</b></p><p>${review("c")} d</p>`
    )
    expect(markReviews("<p>a [[ b</p>")).toBe("<p>a [[ b</p>")
    expect(markReviews("<p>a ]] b [c] [d]</p>")).toBe("<p>a ]] b [c] [d]</p>")
    expect(markReviews("[[a [[b]] c]] d")).toBe(`${review("a ")}${review("b")}${review(" c")} d`)
    expect(markReviews("a [[b [[c]] d")).toBe(`a [[b ${review("c")} d`)
    expect(markReviews("[[a]] b]] c")).toBe(`${review("a")} b]] c`)
  })

  plainIt("leaves no bracket of marks in marks, and marks all that stands in the outermost", () => {
    const { marked } = fc.letrec<{ marked: string }>((tie) => ({
      marked: fc
        .array(fc.oneof({ maxDepth: 4 }, fc.constantFrom("a", "b c", "<b>d</b>"), tie("marked")), { maxLength: 4 })
        .map((parts) => `[[${parts.join("")}]]`)
    }))
    fc.assert(
      fc.property(marked, (html) => {
        const result = markReviews(`x${html}y`)
        expect(result).not.toMatch(/[[\]]/)
        expect(result.replace(/<span[^>]*>[^<]*<\/span>|<[^>]*>/g, "")).toBe("xy")
      })
    )
  })

  plainIt("loses no text to the marks", () => {
    const text = (html: string) => html.replace(/<[^>]*>|\[\[|\]\]/g, "")
    fc.assert(
      fc.property(markup.map(cleanHtml), (html) => {
        const marked = markReviews(html)
        expect(text(marked)).toBe(text(html))
        expect(cleanHtml(marked)).toBe(marked.trim())
      }),
      { numRuns: 500 }
    )
  })

  plainIt("is taken out of what a model says around it", () => {
    expect(htmlOfAnswer("```html\n<p>a</p>\n```")).toBe("<p>a</p>")
    expect(htmlOfAnswer("```\n<p>a</p>```")).toBe("<p>a</p>")
    expect(htmlOfAnswer("<html><head><title>t</title></head><body><p>a</p></body></html>")).toBe("<p>a</p>")
    expect(htmlOfAnswer("first line\nsecond [[line]]\n\nnext < 3")).toBe(
      `<p>first line<br />second ${review("line")}</p><p>next &lt; 3</p>`
    )
    for (const nothing of ["", " \n", "<p> </p>", "<script>x</script>", "```html\n```", "<p>&nbsp;</p>"]) {
      expect(htmlOfAnswer(nothing), nothing).toBe("")
    }
  })
})
