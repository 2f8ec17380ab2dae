import { SqlClient } from "@effect/sql"
import { describe, expect, layer, it as plainIt } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import sharp from "sharp"
import { PlaceDescriptionRoomID, PlaceDescriptionRoomPhotoID } from "../../schema/Ids.ts"
import { isReordering } from "../../src/places/Photos.ts"
import { fittingBox, pictureTypeOf } from "../../src/places/PictureRules.ts"
import { expectError } from "../http/ErrorBody.ts"
import { openSocket } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { baseUrl, clientOf, headerOf, send, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { animatedWebp, bomb, fromTelephone, heavy, noise, svg, truncatedJpeg } from "./BadPictures.ts"
import { beginUpload, draw, formOf, formPart, newRoom, type Picture, rowsOf, upload } from "./Places.ts"

const bytesOf = (accessToken: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/api/PlaceDescriptionPhotos/${accessToken}`)
      return Buffer.from(await response.arrayBuffer())
    })
  )

const uploadOne = (roomID: number, picture: Picture) =>
  upload(roomID, formOf([picture])).pipe(
    Effect.flatMap(rowsOf),
    Effect.flatMap(([row]) => Effect.fromNullable(row))
  )

const photosIn = (roomID: number) =>
  Effect.gen(function* () {
    const { placeDescriptionPhotos } = yield* clientOf("acme-admin")
    return yield* placeDescriptionPhotos.listPlaceDescriptionPhotos({
      path: { roomId: PlaceDescriptionRoomID.make(roomID) }
    })
  })

const pixelAt = (bytes: Buffer, left: number, top: number) =>
  Effect.promise(async () => {
    const pixel = await sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer()
    return [...pixel]
  })

const isYellow = ([red = 0, green = 0, blue = 0]: ReadonlyArray<number>) => red > 200 && green > 150 && blue < 90

layer(testApp(), { excludeTestServices: true })("Photos", (it) => {
  it.effect("are appended in the order in which they were sent, and served to anyone with their token", () =>
    Effect.gen(function* () {
      const { reportID, roomID } = yield* newRoom()
      const first = yield* uploadOne(roomID, { bytes: yield* draw(300, 200), name: "door.jpg" })
      const answer = yield* upload(
        roomID,
        formOf([
          { bytes: yield* draw(30, 20, "png"), name: "Wand – „Süd“ 壁.png", type: "image/png" },
          { bytes: yield* draw(60, 80, "webp"), name: "../etc/floor.webp", type: "image/webp" }
        ])
      )
      const [second, third] = yield* rowsOf(answer)
      expect([first, second, third]).toMatchObject([
        { fileName: "door.jpg", contentType: "image/jpeg", sortOrder: 1, widthPx: 300, heightPx: 200 },
        { fileName: "Wand – „Süd“ 壁.png", contentType: "image/png", sortOrder: 2, widthPx: 30, heightPx: 20 },
        { fileName: "floor.webp", contentType: "image/webp", sortOrder: 3, widthPx: 60, heightPx: 80 }
      ])
      expect(answer.text).not.toContain("blob")
      const { placeDescriptionReports: reports } = yield* clientOf("acme-admin")
      const { rooms } = yield* reports.getPlaceDescriptionReport({ path: { id: reportID } })
      expect(rooms[0]?.photos.map(({ fileName }) => fileName)).toEqual([
        "door.jpg",
        "Wand – „Süd“ 壁.png",
        "floor.webp"
      ])

      const path = `/api/PlaceDescriptionPhotos/${first.accessToken}`
      const download = yield* send("GET", path)
      expect(download.status).toBe(200)
      expect(Object.fromEntries(download.headers)).toMatchObject({
        "content-type": "image/jpeg",
        "content-disposition": 'inline; filename="door.jpg"',
        "x-content-type-options": "nosniff",
        "content-security-policy": expect.stringContaining("sandbox"),
        "cross-origin-resource-policy": "cross-origin"
      })
      const bytes = yield* bytesOf(first.accessToken)
      expect(String(bytes.length)).toBe(download.headers.get("content-length"))
      expect(pictureTypeOf(bytes)).toBe("image/jpeg")
      const etag = headerOf(download, "etag")
      expect((yield* send("GET", path, { headers: { "if-none-match": etag } })).status).toBe(304)
      expect((yield* send("GET", path, { headers: { range: "bytes=0-2" } })).headers.get("content-range")).toBe(
        `bytes 0-2/${bytes.length}`
      )
      expect((yield* send("HEAD", path, { headers: { range: "bytes=0-2" } })).status).toBe(200)
      for (const unknown of ["00000000-0000-4000-8000-000000000000", "x", `${first.accessToken}0`, "%00"]) {
        expectError(yield* send("GET", `/api/PlaceDescriptionPhotos/${unknown}`), 404, /photo/)
      }
    })
  )

  it.effect("are turned upright and stripped of where and how they were taken", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const original = yield* fromTelephone
      const before = yield* Effect.promise(() => sharp(original).metadata())
      expect(before).toMatchObject({ orientation: 6, exif: expect.any(Buffer), xmp: expect.any(Buffer) })
      const photo = yield* uploadOne(roomID, { bytes: original })
      expect(photo).toMatchObject({ widthPx: 200, heightPx: 400 })
      const bytes = yield* bytesOf(photo.accessToken)
      const after = yield* Effect.promise(() => sharp(bytes).metadata())
      expect(Object.keys(after)).not.toContain("exif")
      for (const trace of ["exif", "xmp", "iptc", "icc", "orientation", "comments"])
        expect(after).not.toHaveProperty(trace)
      expect(bytes.includes("Exif") || bytes.includes("GPS") || bytes.includes("who was here")).toBe(false)
      // What was at the left is at the top now, and what was at the top is at the right.
      expect(isYellow(yield* pixelAt(bytes, 190, 10))).toBe(true)
      expect(isYellow(yield* pixelAt(bytes, 10, 10))).toBe(false)
    })
  )

  it.effect("fit into 2048 × 768 in either orientation, and are never enlarged", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const sizes = [
        [4000, 3000, 1024, 768],
        [3000, 4000, 768, 1024],
        [6000, 1000, 2048, 341],
        [1000, 6000, 341, 2048],
        [3000, 3000, 768, 768],
        [2048, 768, 2048, 768],
        [17, 9, 17, 9]
      ] as const
      for (const [width, height, widthPx, heightPx] of sizes) {
        const photo = yield* uploadOne(roomID, { bytes: yield* draw(width, height) })
        expect([width, height, photo.widthPx, photo.heightPx]).toEqual([width, height, widthPx, heightPx])
        const bytes = yield* bytesOf(photo.accessToken)
        const stored = yield* Effect.promise(() => sharp(bytes).metadata())
        expect([stored.width, stored.height]).toEqual([widthPx, heightPx])
      }
    })
  )

  it.effect("keep only the first frame of an animation", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const original = yield* animatedWebp
      expect((yield* Effect.promise(() => sharp(original).metadata())).pages).toBe(2)
      const photo = yield* uploadOne(roomID, { bytes: original, name: "a.webp", type: "image/webp" })
      expect(photo).toMatchObject({ contentType: "image/webp", widthPx: 60, heightPx: 40 })
      const bytes = yield* bytesOf(photo.accessToken)
      expect((yield* Effect.promise(() => sharp(bytes).metadata())).pages ?? 1).toBe(1)
      expect((yield* pixelAt(bytes, 5, 5))[0]).toBeGreaterThan(200)
    })
  )

  it.effect("keep the format that they really have", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const photo = yield* uploadOne(roomID, { bytes: yield* draw(30, 20, "png"), name: "p.jpg", type: "image/jpeg" })
      expect(photo.contentType).toBe("image/png")
      expect(pictureTypeOf(yield* bytesOf(photo.accessToken))).toBe("image/png")
    })
  )

  const good = draw(30, 20)

  it.scoped("are refused before the next ones have arrived when they are not pictures", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const socket = yield* openSocket
      const text = `${formPart("note.txt", "text/plain")}hello\r\n`
      yield* beginUpload(socket, roomID, `${text}${formPart("kitchen.jpg")}and so on`)
      const answer = yield* Effect.async<string>((resume) => {
        socket.once("data", (chunk) => resume(Effect.succeed(chunk.toString())))
      }).pipe(Effect.timeout("20 seconds"))
      expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    })
  )

  it.effect("are refused with 415 when their declared type is no picture's, and nothing of the request stays", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const fine: Picture = { bytes: yield* good, name: "fine.jpg" }
      const text = Buffer.from("This is a text, whatever it is called.\n".repeat(50))
      const wrong: ReadonlyArray<Picture & { readonly name: string }> = [
        { bytes: text, name: "note.txt", type: "text/plain" },
        { bytes: svg, name: "drawing.svg", type: "image/svg+xml" },
        { bytes: Buffer.from("GIF89a............."), name: "a.gif", type: "image/gif" },
        { bytes: yield* good, name: "fine.pdf", type: "application/pdf" },
        { bytes: yield* good, name: "fine", type: "application/octet-stream" }
      ]
      for (const picture of wrong) {
        expectError(yield* upload(roomID, formOf([fine, picture, fine])), 415, new RegExp(picture.name))
      }
      const unnamed = { bytes: yield* good, name: "fine", type: "application/octet-stream" }
      expectError(
        yield* upload(roomID, formOf([unnamed])),
        415,
        /fine was sent as application\/octet-stream; send it as/
      )
      expect(yield* photosIn(roomID)).toEqual([])
    })
  )

  it.effect("are refused with 400 and named when they cannot be read, and nothing of the request stays", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const fine: Picture = { bytes: yield* good, name: "fine.jpg" }
      const wrong: ReadonlyArray<readonly [Picture, RegExp]> = [
        [{ bytes: yield* truncatedJpeg, name: "cut.jpg" }, /cut\.jpg\) cannot be read/],
        [{ bytes: bomb(20_000), name: "bomb.png", type: "image/png" }, /120 million pixels/],
        [{ bytes: heavy(6_000), name: "heavy.png", type: "image/png" }, /heavy\.png\) needs too much memory/],
        [{ bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]), name: "head.jpg" }, /cannot be read/],
        [{ bytes: Buffer.alloc(0), name: "empty.jpg" }, /is empty/],
        [{ bytes: Buffer.from("This is a text."), name: "note.jpg" }, /note\.jpg\) is not a JPEG, PNG or WebP picture/],
        [{ bytes: svg, name: "drawing.png", type: "image/png" }, /is not a JPEG/],
        [{ bytes: yield* noise, name: "noise.png", type: "image/png" }, /over 5 MiB/]
      ]
      for (const [picture, message] of wrong) {
        const answer = yield* upload(roomID, formOf([fine, picture]))
        expectError(answer, 400, message)
        expect(answer.json).toMatchObject({ details: [{ path: "files.1" }] })
      }
      const all = yield* upload(roomID, formOf([...wrong.map(([picture]) => picture), fine]))
      expect(all.json).toMatchObject({ details: wrong.map((_, index) => ({ path: `files.${index}` })) })
      expect(yield* photosIn(roomID)).toEqual([])
    })
  )

  it.effect("must number 1 to 100 in a request", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const dot: Picture = { bytes: yield* draw(1, 1, "png"), type: "image/png" }
      const withField = new FormData()
      withField.append("files", "only words")
      for (const form of [withField, formOf([dot], "photos")]) {
        expectError(yield* upload(roomID, form), 400, /at least one picture/)
      }
      expectError(yield* upload(roomID, new FormData()), 400, /./)
      const token = yield* tokenOf("acme-admin")
      const path = `/api/PlaceDescriptionRooms/${roomID}/photos`
      expectError(yield* send("POST", path, { headers: { authorization: `Bearer ${token}` } }), 400, /is empty/)
      expectError(yield* upload(roomID, formOf(Array.from({ length: 101 }, () => dot))), 400, /at most 100/)
      const most = yield* Effect.flatMap(upload(roomID, formOf(Array.from({ length: 100 }, () => dot))), rowsOf)
      expect(most.map(({ sortOrder }) => sortOrder)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
      expectError(yield* upload(2_000_000_000, formOf([dot])), 404, /room/)
    })
  )

  it.effect("are refused with 413 over 25 MiB in one request, with and without a length", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const half = Buffer.alloc(13 * 1024 * 1024)
      expectError(yield* upload(roomID, formOf([{ bytes: half }, { bytes: half }])), 413, /25 MiB/)
      const token = yield* tokenOf("acme-admin")
      const start =
        '--b\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
      let sent = 0
      const endless = new ReadableStream({
        pull: (controller) => {
          controller.enqueue(sent === 0 ? Buffer.from(start) : Buffer.alloc(1024 * 1024))
          sent += 1
          if (sent > 40) controller.close()
        }
      })
      const init = {
        headers: { authorization: `Bearer ${token}`, "content-type": "multipart/form-data; boundary=b" },
        body: endless,
        duplex: "half"
      } as const
      expectError(yield* send("POST", `/api/PlaceDescriptionRooms/${roomID}/photos`, init), 413, /25 MiB/)
      expect(yield* photosIn(roomID)).toEqual([])
    })
  )

  it.effect("get positions one after the other when uploaded at the same time", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const two = formOf([{ bytes: yield* good }, { bytes: yield* good }])
      yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.flatMap(upload(roomID, two), rowsOf)),
        { concurrency: "unbounded" }
      )
      expect((yield* photosIn(roomID)).map(({ sortOrder }) => sortOrder)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    })
  )

  it.effect("can be reordered by the whole list only", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const picture = { bytes: yield* good }
      const ids = (yield* Effect.flatMap(upload(roomID, formOf([picture, picture, picture])), rowsOf)).map(
        ({ placeDescriptionRoomPhotoID }) => placeDescriptionRoomPhotoID
      )
      const other = yield* newRoom()
      const strange = (yield* uploadOne(other.roomID, picture)).placeDescriptionRoomPhotoID
      const [a = 0, b = 0, c = 0] = ids
      const token = yield* tokenOf("acme-admin")
      const reorder = (photoIds: unknown) =>
        sendJson("PUT", `/api/PlaceDescriptionRooms/${roomID}/photos/reorder`, { token, body: { photoIds } })
      for (const wrong of [
        [c, b],
        [c, b, b],
        [c, b, a, a],
        [c, b, strange],
        [c, b, a, strange],
        [],
        [0, b, a],
        "x",
        null
      ]) {
        expectError(yield* reorder(wrong), 400, /photoIds/)
      }
      expectError(
        yield* sendJson("PUT", `/api/PlaceDescriptionRooms/${roomID}/photos/reorder`, { token, body: {} }),
        400,
        /./
      )
      const order = Effect.map(photosIn(roomID), (photos) => photos.map((photo) => photo.placeDescriptionRoomPhotoID))
      expect(yield* order).toEqual([a, b, c])
      expect((yield* reorder([c, a, b])).status).toBe(204)
      expect(yield* order).toEqual([c, a, b])
      expect((yield* photosIn(roomID)).map(({ sortOrder }) => sortOrder)).toEqual([1, 2, 3])
    })
  )

  it.effect("are removed with their bytes, alone, with their room and with their report", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* clientOf("acme-admin")
      const { reportID, roomID } = yield* newRoom()
      const room = yield* client.placeDescriptionRooms.createPlaceDescriptionRoom({
        path: { reportId: reportID },
        payload: {}
      })
      const picture = { bytes: yield* good }
      const alone = yield* uploadOne(roomID, picture)
      const withRoom = yield* uploadOne(room.placeDescriptionRoomID, picture)
      const withReport = yield* uploadOne(roomID, picture)
      const blobs = yield* sql<{ id: string; token: string }>`
        /* all customers: what is behind these tokens */
        select blob_id as id, access_token::text as token from place_description_room_photo
        where access_token::text in ${sql.in([alone, withRoom, withReport].map(({ accessToken }) => accessToken))}`
      expect(blobs).toHaveLength(3)
      const isGone = (token: string) =>
        Effect.gen(function* () {
          const { id } = yield* Effect.fromNullable(blobs.find((blob) => blob.token === token))
          expect((yield* send("GET", `/api/PlaceDescriptionPhotos/${token}`)).status).toBe(404)
          yield* eventually(
            sql`/* all customers: this one blob */ select 1 from blob where blob_id = ${id}::uuid`,
            (rows) => rows.length === 0
          )
        })
      const photoId = PlaceDescriptionRoomPhotoID.make(alone.placeDescriptionRoomPhotoID)
      yield* client.placeDescriptionPhotos.deletePlaceDescriptionPhoto({ path: { photoId } })
      yield* isGone(alone.accessToken)
      const again = client.placeDescriptionPhotos.deletePlaceDescriptionPhoto({ path: { photoId } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 404 })
      yield* client.placeDescriptionRooms.deletePlaceDescriptionRoom({ path: { roomId: room.placeDescriptionRoomID } })
      yield* isGone(withRoom.accessToken)
      expect((yield* send("GET", `/api/PlaceDescriptionPhotos/${withReport.accessToken}`)).status).toBe(200)
      yield* client.placeDescriptionReports.deletePlaceDescriptionReport({ path: { id: reportID } })
      yield* isGone(withReport.accessToken)
    })
  )
})

describe("The rules for photos", () => {
  const size = fc.integer({ min: 1, max: 20_000 })

  plainIt("give every picture a box of the same orientation", () => {
    fc.assert(
      fc.property(size, size, (width, height) => {
        const box = fittingBox({ width, height })
        expect([Math.max(box.width, box.height), Math.min(box.width, box.height)]).toEqual([2048, 768])
        expect(box.width >= box.height).toBe(width >= height)
      })
    )
  })

  plainIt("accept a list as a new order only if it has the same ids, each once", () => {
    const ids = fc.uniqueArray(fc.nat(), { maxLength: 8 })
    fc.assert(
      fc.property(ids, fc.array(fc.nat(20), { maxLength: 8 }), (before, other) => {
        expect(isReordering(before, [...before].reverse())).toBe(true)
        expect(isReordering(before, other)).toBe([...before].sort().join() === [...other].sort().join())
        if (before[0] !== undefined) expect(isReordering(before, [...before, before[0]])).toBe(false)
      })
    )
  })
})
