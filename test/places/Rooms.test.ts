import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PlaceDescriptionReportID } from "../../schema/Ids.ts"
import { field, textIn } from "../support/Fields.ts"
import { clientOf, headerOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"
import { newRoom, reportsPath } from "./Places.ts"

layer(testApp(), { excludeTestServices: true })("The rooms of a report", (it) => {
  it.effect("come in the order that was given, or after the last", () =>
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

  it.effect("get distinct positions when several are added at once", () =>
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

  it.effect("refuse wrong fields", () =>
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

  it.effect("keep every HTML that was replaced, and restore it", () =>
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

  it.effect("keep the last fifty versions", () =>
    Effect.gen(function* () {
      const { placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const path = { roomId: (yield* newRoom()).roomID }
      for (let number = 1; number <= 53; number += 1) {
        yield* rooms.updatePlaceDescriptionRoom({ path, payload: { transcriptHtml: `<p>${number}</p>` } })
      }
      const kept = yield* rooms.listPlaceDescriptionRoomVersions({ path })
      expect(kept.map(({ transcriptHtml }) => transcriptHtml)).toEqual(
        Array.from({ length: 50 }, (_, index) => `<p>${52 - index}</p>`)
      )
      const oldest = yield* Effect.fromNullable(kept.at(-1))
      const restored = yield* rooms.restorePlaceDescriptionRoomVersion({
        path: { ...path, versionId: oldest.placeDescriptionRoomVersionID }
      })
      expect(restored.transcriptHtml).toBe("<p>3</p>")
      expect((yield* rooms.listPlaceDescriptionRoomVersions({ path }))[0]?.transcriptHtml).toBe("<p>53</p>")
    })
  )

  it.effect("refuse HTML that is too long once it is clean, and accept whatever they return", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const path = `/api/PlaceDescriptionRooms/${roomID}`
      const put = (transcriptHtml: string) => sendJson("PUT", path, { token, body: { transcriptHtml } })
      const transcriptHtml = "&".repeat(99_000) + "x".repeat(10_000)
      expect(yield* put(transcriptHtml)).toMatchObject({
        status: 400,
        json: { details: [{ path: "transcriptHtml", message: expect.stringContaining("500,000") }] }
      })
      const body = { transcriptHtml }
      expect((yield* sendJson("POST", `${reportsPath}/${reportID}/rooms`, { token, body })).status).toBe(400)
      expect((yield* put("&".repeat(99_000))).status).toBe(204)
      const { json } = yield* sendJson("GET", `${reportsPath}/${reportID}/rooms`, { token })
      const stored = textIn(field(json, "0"), "transcriptHtml")
      expect(stored).toBe("&amp;".repeat(99_000))
      expect((yield* put(stored)).status).toBe(204)
      expect(yield* sendJson("GET", `${path}/versions`, { token })).toMatchObject({ json: [] })
    })
  )

  it.effect("refuse HTML with more tags than can be cleaned quickly, instead of losing them", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const path = `/api/PlaceDescriptionRooms/${roomID}`
      const put = (transcriptHtml: string) => sendJson("PUT", path, { token, body: { transcriptHtml } })
      const refused = {
        status: 400,
        json: { details: [{ path: "transcriptHtml", message: expect.stringMatching(/10,000 tags/) }] }
      }
      for (const html of ["<hr>x".repeat(49_000), `${"<b>".repeat(501)}x`, "<p>x".repeat(6_000)]) {
        expect(yield* put(html)).toMatchObject(refused)
      }
      const body = { transcriptHtml: "<hr>x".repeat(49_000) }
      expect(yield* sendJson("POST", `${reportsPath}/${reportID}/rooms`, { token, body })).toMatchObject(refused)
      expect((yield* put("<p>x".repeat(5_000))).status).toBe(204)
      const { json } = yield* sendJson("GET", path, { token })
      const transcriptHtml = textIn(json, "transcriptHtml")
      expect(transcriptHtml).toBe("<p>x</p>".repeat(5_000))
      expect((yield* put(transcriptHtml)).status).toBe(204)
    })
  )

  it.effect("have no HTML when an editor saves an empty field, so that the notes are printed", () =>
    Effect.gen(function* () {
      const { placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { reportID, roomID } = yield* newRoom({ transcriptRaw: "notes" })
      const path = { roomId: roomID }
      const read = rooms.getPlaceDescriptionRoom({ path })
      for (const transcriptHtml of ["<p><br></p>", "<p>&nbsp;</p>", "<p>\u200b</p>"]) {
        yield* rooms.updatePlaceDescriptionRoom({ path, payload: { transcriptHtml: "<p>Good.</p>" } })
        expect((yield* read).transcriptHtml).toBe("<p>Good.</p>")
        yield* rooms.updatePlaceDescriptionRoom({ path, payload: { transcriptHtml } })
        expect(yield* read).toMatchObject({ transcriptHtml: null, transcriptRaw: "notes" })
      }
      const made = rooms.createPlaceDescriptionRoom({
        path: { reportId: reportID },
        payload: { transcriptHtml: "<p><br></p>" }
      })
      expect(yield* made).toMatchObject({ transcriptHtml: null })
    })
  )

  it.effect("are changed and deleted only as they were read, when If-Match is sent", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { roomID } = yield* newRoom({ name: "Hall" })
      const path = `/api/PlaceDescriptionRooms/${roomID}`
      const read = sendJson("GET", path, { token })
      const ask = (method: "PUT" | "DELETE", etag: string, body?: unknown) =>
        Effect.map(sendJson(method, path, { token, body, headers: { "if-match": etag } }), ({ status }) => status)
      const etagOf = Effect.map(read, (answer) => headerOf(answer, "etag"))
      const first = yield* etagOf
      expect(yield* read).toMatchObject({
        status: 200,
        json: { placeDescriptionRoomID: roomID, name: "Hall", photos: [] }
      })
      expect((yield* sendJson("GET", path, { token, headers: { "if-none-match": first } })).status).toBe(304)
      const writes = ["one", "two"].map((word) => ask("PUT", first, { transcriptHtml: `<p>${word}</p>` }))
      expect((yield* Effect.all(writes, { concurrency: "unbounded" })).sort()).toEqual([204, 412])
      expect(yield* ask("DELETE", first)).toBe(412)
      expect(yield* ask("DELETE", yield* etagOf)).toBe(204)
      expect((yield* read).status).toBe(404)
      const foreign = yield* newRoom({}, "initech-admin")
      expect((yield* sendJson("GET", `/api/PlaceDescriptionRooms/${foreign.roomID}`, { token })).status).toBe(404)
    })
  )

  it.effect("hold only clean HTML, whoever wrote it", () =>
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
