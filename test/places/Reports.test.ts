import { describe, expect, layer, it as plainIt } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { isCalendarDate } from "../../schema/CalendarDate.ts"
import { clientOf, headerOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, refusedPaths } from "../topics/Mappings.ts"
import { draw, formOf, newRoom, reportsPath, rowsOf, upload } from "./Places.ts"

const everything = {
  clientNames: "A client",
  caseNumber: "SOC-1",
  description: "Line one\nline two",
  landlords: "A landlord",
  tenants: "A tenant",
  address: "1 Test Street",
  reportDate: "2024-02-29"
}

const empty = {
  clientNames: null,
  caseNumber: null,
  description: null,
  landlords: null,
  tenants: null,
  address: null,
  reportDate: null,
  lexiconDocumentID: null,
  instructionsDocumentID: null,
  transformTopicID: null,
  heroPhotoAccessToken: null
}

const ownReferences = (username: string) =>
  Effect.gen(function* () {
    const { documents, topics } = yield* clientOf(username)
    const topic = yield* topics.createTopic({ payload: { name: fresh("Topic") } })
    const document = yield* documents.createDocument({
      payload: { name: fresh("Guide"), isDataRetrievalProcess: false }
    })
    return {
      lexiconDocumentID: document.documentID,
      instructionsDocumentID: document.documentID,
      transformTopicID: topic.topicID
    }
  })

layer(testApp(), { excludeTestServices: true })("Condition reports", (it) => {
  it.effect("are created empty or complete, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports } = yield* clientOf("acme-agent")
      const bare = yield* reports.createPlaceDescriptionReport({ payload: {} })
      expect(bare).toMatchObject({ ...empty, rooms: [] })
      expect(bare.createdByCustomerRepID).not.toBeNull()
      expect(bare.customerRepID).toBe(bare.createdByCustomerRepID)

      const references = yield* ownReferences("acme-admin")
      const full = yield* reports.createPlaceDescriptionReport({ payload: { ...everything, ...references } })
      expect(full).toMatchObject({ ...everything, ...references })
      const path = { id: full.placeDescriptionReportID }
      expect(yield* reports.getPlaceDescriptionReport({ path })).toEqual(full)

      yield* reports.updatePlaceDescriptionReport({ path, payload: { address: "2 Other Street", tenants: null } })
      const changed = yield* reports.getPlaceDescriptionReport({ path })
      expect(changed).toMatchObject({ ...everything, ...references, address: "2 Other Street", tenants: null })
      expect(changed.customerRepID).toBe(full.customerRepID)
      yield* reports.updatePlaceDescriptionReport({ path, payload: { ...empty } })
      expect(yield* reports.getPlaceDescriptionReport({ path })).toMatchObject(empty)

      yield* reports.deletePlaceDescriptionReport({ path })
      for (const gone of [
        reports.getPlaceDescriptionReport({ path }),
        reports.deletePlaceDescriptionReport({ path }),
        reports.updatePlaceDescriptionReport({ path, payload: {} }),
        reports.exportPlaceDescriptionReport({ path, urlParams: {} })
      ]) {
        expect(yield* Effect.flip(Effect.asVoid(gone))).toMatchObject({ status: 404 })
      }
    })
  )

  it.effect("refuse every wrong field at once, and a date that does not exist", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const tooLong = {
        clientNames: "x".repeat(513),
        caseNumber: "x".repeat(256),
        landlords: "x".repeat(513),
        tenants: "x".repeat(513),
        address: "x".repeat(513),
        reportDate: "2023-02-29",
        lexiconDocumentID: "1",
        heroPhotoAccessToken: "no-guid"
      }
      expect((yield* refusedPaths("POST", reportsPath, token, tooLong)).sort()).toEqual(Object.keys(tooLong).sort())
      for (const reportDate of ["2026-13-01", "2026-00-10", "2026-04-31", "31.03.2026", "2026-3-1", "0000-01-01", 5]) {
        expect(yield* refusedPaths("POST", reportsPath, token, { reportDate }), String(reportDate)).toEqual([
          "reportDate"
        ])
      }
      const longest = { clientNames: "x".repeat(512), caseNumber: "y".repeat(255), address: "z".repeat(512) }
      expect((yield* sendJson("POST", reportsPath, { token, body: longest })).json).toMatchObject(longest)
      expect(
        (yield* sendJson("POST", reportsPath, { token, body: { address: " ", reportDate: "" } })).json
      ).toMatchObject({ address: null, reportDate: null })
    })
  )

  it.effect("accept only documents and topics of their own customer", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const foreign = yield* ownReferences("initech-admin")
      const body = { ...foreign, caseNumber: fresh("never written") }
      const paths = ["instructionsDocumentID", "lexiconDocumentID", "transformTopicID"]
      expect((yield* refusedPaths("POST", reportsPath, token, body)).sort()).toEqual(paths)
      const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const urlParams = { search: body.caseNumber }
      expect((yield* reports.listPlaceDescriptionReports({ urlParams })).totalCount).toBe(0)
      const { placeDescriptionReportID: id } = yield* reports.createPlaceDescriptionReport({ payload: {} })
      expect((yield* refusedPaths("PUT", `${reportsPath}/${id}`, token, body)).sort()).toEqual(paths)
      expect(yield* reports.getPlaceDescriptionReport({ path: { id } })).toMatchObject(empty)
    })
  )

  it.effect("refuse documents that retrieve data, which a transformation would leave out", () =>
    Effect.gen(function* () {
      const { documents, placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const name = fresh("Retrieval")
      const { documentID } = yield* documents.createDocument({
        payload: { name, isDataRetrievalProcess: true, apiEndpoint: "https://api.acme.example/x" }
      })
      const wrong = {
        lexiconDocumentID: documentID,
        instructionsDocumentID: documentID,
        transformTopicID: 2_000_000_000
      }
      const paths = Object.keys(wrong).sort()
      expect((yield* refusedPaths("POST", reportsPath, token, wrong)).sort()).toEqual(paths)
      const { placeDescriptionReportID: id } = yield* reports.createPlaceDescriptionReport({ payload: {} })
      expect((yield* refusedPaths("PUT", `${reportsPath}/${id}`, token, wrong)).sort()).toEqual(paths)

      yield* documents.updateDocument({ path: { id: documentID }, payload: { name, isDataRetrievalProcess: false } })
      const payload = { lexiconDocumentID: documentID }
      yield* reports.updatePlaceDescriptionReport({ path: { id }, payload })
      yield* documents.updateDocument({
        path: { id: documentID },
        payload: { name, isDataRetrievalProcess: true, apiEndpoint: "https://api.acme.example/x" }
      })
      yield* reports.updatePlaceDescriptionReport({
        path: { id },
        payload: { ...payload, address: "it has it already" }
      })
    })
  )

  it.effect("lose a document or a topic that is deleted, but stay", () =>
    Effect.gen(function* () {
      const client = yield* clientOf("acme-admin")
      const references = yield* ownReferences("acme-admin")
      const made = yield* client.placeDescriptionReports.createPlaceDescriptionReport({ payload: references })
      yield* client.documents.deleteDocument({ path: { id: references.lexiconDocumentID } })
      yield* client.topics.deleteTopic({ path: { id: references.transformTopicID } })
      const path = { id: made.placeDescriptionReportID }
      expect(yield* client.placeDescriptionReports.getPlaceDescriptionReport({ path })).toMatchObject(empty)
    })
  )

  it.effect("accept only a photo of their own as hero photo, and lose it when it is deleted", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { placeDescriptionPhotos, placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const [mine, other] = [yield* newRoom(), yield* newRoom()]
      const form = formOf([{ bytes: yield* draw(40, 30) }])
      const [photo] = yield* Effect.flatMap(upload(mine.roomID, form), rowsOf)
      const [strange] = yield* Effect.flatMap(upload(other.roomID, form), rowsOf)
      const initech = yield* newRoom({}, "initech-admin")
      const [foreign] = yield* Effect.flatMap(upload(initech.roomID, form, "initech-admin"), rowsOf)
      const path = `${reportsPath}/${mine.reportID}`
      const heroes = [strange?.accessToken, foreign?.accessToken, "00000000-0000-4000-8000-000000000000", "x"]
      for (const heroPhotoAccessToken of heroes) {
        expect(yield* refusedPaths("PUT", path, token, { heroPhotoAccessToken }), heroPhotoAccessToken).toEqual([
          "heroPhotoAccessToken"
        ])
      }
      const created = { heroPhotoAccessToken: photo?.accessToken }
      expect(yield* refusedPaths("POST", reportsPath, token, created)).toEqual(["heroPhotoAccessToken"])

      const hero = Effect.map(
        reports.getPlaceDescriptionReport({ path: { id: mine.reportID } }),
        ({ heroPhotoAccessToken }) => heroPhotoAccessToken
      )
      const upper = photo?.accessToken.toUpperCase()
      expect((yield* sendJson("PUT", path, { token, body: { heroPhotoAccessToken: upper } })).status).toBe(204)
      expect(yield* hero).toBe(photo?.accessToken)
      expect((yield* sendJson("PUT", path, { token, body: { address: "stays" } })).status).toBe(204)
      expect(yield* hero).toBe(photo?.accessToken)
      const photoId = yield* Effect.fromNullable(
        (yield* placeDescriptionPhotos.listPlaceDescriptionPhotos({
          path: { roomId: mine.roomID }
        }))[0]?.placeDescriptionRoomPhotoID
      )
      yield* placeDescriptionPhotos.deletePlaceDescriptionPhoto({ path: { photoId } })
      expect(yield* hero).toBeNull()
    })
  )

  it.effect("are found by any part of address, case number and client names, and by nothing else", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const word = fresh("Straße_100%\\").replace(" ", "")
      const ids: Array<number> = []
      for (const payload of [
        { address: `12 ${word} West` },
        { caseNumber: `A-${word}` },
        { clientNames: `The ${word}s` },
        { tenants: word, landlords: word, description: word }
      ]) {
        ids.push((yield* reports.createPlaceDescriptionReport({ payload })).placeDescriptionReportID)
      }
      const found = (search: string) =>
        Effect.map(
          reports.listPlaceDescriptionReports({ urlParams: { search, sortBy: "placeDescriptionReportID" } }),
          ({ items }) => items.map((report) => ids.indexOf(report.placeDescriptionReportID))
        )
      expect(yield* found(word)).toEqual([0, 1, 2])
      expect(yield* found(`  ${word.toUpperCase().replace("SS", "ß")} `)).toEqual([0, 1, 2])
      expect(yield* found(word.slice(3))).toEqual([0, 1, 2])
      expect(yield* found(word.replace("_", "x"))).toEqual([])
      expect(yield* found(`West ${word} 12`), "each word somewhere").toEqual([0])
      const hotel = fresh("H\u00f4tel\u00e9").replace(" ", "")
      for (const address of [hotel.normalize("NFC"), hotel.normalize("NFD")]) {
        ids.push((yield* reports.createPlaceDescriptionReport({ payload: { address } })).placeDescriptionReportID)
      }
      for (const search of [hotel.normalize("NFC"), hotel.normalize("NFD")]) {
        expect(yield* found(search), "however it is spelled").toEqual([4, 5])
      }
      expect(yield* found(`West\n`)).toContain(0)
      const theirs = (yield* clientOf("initech-admin")).placeDescriptionReports
      expect((yield* theirs.listPlaceDescriptionReports({ urlParams: { search: word } })).totalCount).toBe(0)
    })
  )

  it.effect("are listed newest first, in pages, and by any field", () =>
    Effect.gen(function* () {
      const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const mark = fresh("Sorted")
      for (const [address, caseNumber] of [
        ["b", "3"],
        ["A", "1"],
        ["c", "2"]
      ] as const) {
        yield* reports.createPlaceDescriptionReport({
          payload: { address, caseNumber, clientNames: mark, reportDate: `2026-01-0${caseNumber}` }
        })
      }
      type Query = Parameters<typeof reports.listPlaceDescriptionReports>[0]["urlParams"]
      const orders: ReadonlyArray<readonly [Query, string]> = [
        [{}, "213"],
        [{ sortBy: "address" }, "132"],
        [{ sortBy: "caseNumber", sortOrder: "desc" }, "321"],
        [{ sortBy: "reportDate" }, "123"],
        [{ sortBy: "heroPhotoAccessToken" }, "312"],
        [{ sortBy: "dateUpdatedUtc", pageSize: 2, pageNumber: 2 }, "2"]
      ]
      for (const [query, order] of orders) {
        const { items } = yield* reports.listPlaceDescriptionReports({ urlParams: { search: mark, ...query } })
        expect([query, items.map(({ caseNumber }) => caseNumber).join("")]).toEqual([query, order])
      }
      const page = yield* reports.listPlaceDescriptionReports({ urlParams: { search: mark, pageSize: 2 } })
      expect(page).toMatchObject({ totalCount: 3, totalPages: 2 })
      const token = yield* tokenOf("acme-admin")
      expect(yield* refusedPaths("GET", `${reportsPath}?sortBy=rooms`, token)).toEqual(["sortBy"])
    })
  )

  it.effect("need the customer's feature", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("globex-admin")
      for (const [method, path] of [
        ["GET", reportsPath],
        ["POST", reportsPath],
        ["POST", "/api/PlaceDescriptionRooms/1/transform"],
        ["GET", `${reportsPath}/1/export/docx`]
      ] as const) {
        const { json, status } = yield* sendJson(method, path, { token, ...(method === "POST" && { body: {} }) })
        expect([status, json]).toMatchObject([403, { message: expect.stringContaining("SchedulesOfCondition") }])
      }
    })
  )

  it.effect("have an ETag that also changes with a room", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { placeDescriptionReports: reports, placeDescriptionRooms: rooms } = yield* clientOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const path = `${reportsPath}/${reportID}`
      const read = yield* sendJson("GET", path, { token })
      const etag = headerOf(read, "etag")
      const before = yield* reports.getPlaceDescriptionReport({ path: { id: reportID } })
      yield* rooms.updatePlaceDescriptionRoom({ path: { roomId: roomID }, payload: { name: "Hall" } })
      const after = yield* reports.getPlaceDescriptionReport({ path: { id: reportID } })
      expect(after.dateUpdatedUtc.epochMillis).toBeGreaterThanOrEqual(before.dateUpdatedUtc.epochMillis)
      const headers = { "if-match": etag }
      expect((yield* sendJson("PUT", path, { token, body: { address: "late" }, headers })).status).toBe(412)
      expect((yield* sendJson("GET", path, { token, headers: { "if-none-match": etag } })).status).toBe(200)
    })
  )
})

describe("A calendar date", () => {
  plainIt("is every day from year 1 to 9999 and nothing else", () => {
    const days = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T00:00:00Z"),
      noInvalidDate: true
    })
    fc.assert(fc.property(days, (day) => isCalendarDate(day.toISOString().slice(0, 10))))
    const months = fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }))
    fc.assert(
      fc.property(months, fc.integer({ min: 1, max: 31 }), ([year, month], day) => {
        const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
        const last =
          month === 2
            ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
              ? 29
              : 28
            : [4, 6, 9, 11].includes(month)
              ? 30
              : 31
        expect(isCalendarDate(text)).toBe(day <= last)
      })
    )
  })
})
