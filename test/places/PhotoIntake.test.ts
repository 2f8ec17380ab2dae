import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { makePhotoSpool } from "../../src/places/PhotoSpool.ts"
import { expectError } from "../http/ErrorBody.ts"
import { openSocket } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { onPostgres, waitingForMe } from "../support/TestDatabase.ts"
import { truncatedJpeg } from "./BadPictures.ts"
import { beginUpload, draw, formOf, formPart, newRoom, type Picture, upload } from "./Places.ts"

/** Blobs that no photo or attachment refers to. */
const looseBlobs = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    /* all customers: the tests in this file have a database of their own */
    select 1 from blob where not exists (
      select 1 from place_description_room_photo photo where photo.blob_id = blob.blob_id)
      and not exists (select 1 from ticket_message_attachment file where file.blob_id = blob.blob_id)`
)

const countOf = Effect.map(looseBlobs, (rows) => rows.length)

layer(testApp(), { excludeTestServices: true })("Photos on their way in", (it) => {
  it.scoped("are stored before the next ones have arrived, and removed when those never come", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const before = yield* countOf
      const socket = yield* openSocket
      yield* beginUpload(socket, roomID, formPart("first.jpg"))
      socket.write(yield* draw(300, 200))
      socket.write(`\r\n${formPart("second.jpg")}and so on`)
      yield* eventually(countOf, (count) => count === before + 1)
      socket.destroy()
      yield* eventually(countOf, (count) => count === before)
    })
  )

  it.effect("leave no bytes behind when another photo of the request is refused", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const fine: Picture = { bytes: yield* draw(300, 200), name: "fine.jpg" }
      const before = yield* countOf
      const cut: Picture = { bytes: yield* truncatedJpeg, name: "cut.jpg" }
      expectError(yield* upload(roomID, formOf([fine, fine, fine, fine, cut])), 400, /cut\.jpg/)
      const text: Picture = { bytes: Buffer.from("hello"), name: "note.jpg" }
      expectError(yield* upload(roomID, formOf([fine, fine, fine, fine, text])), 400, /note\.jpg/)
      expect(yield* countOf).toBe(before)
    })
  )

  // The embedded database has one connection, so nobody waits for a row there.
  if (onPostgres) {
    it.effect("are removed with their bytes when their report is deleted at the same time", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { placeDescriptionReports } = yield* clientOf("acme-admin")
        const { reportID, roomID } = yield* newRoom()
        const { blobID, pending } = yield* Effect.gen(function* () {
          yield* sql`update place_description_report set modified_at = now()
            where customer_id = 1 and place_description_report_id = ${reportID}`
          const remove = placeDescriptionReports.deletePlaceDescriptionReport({ path: { id: reportID } })
          const deleting = yield* Effect.forkDaemon(remove)
          yield* eventually(waitingForMe, (count) => count > 0)
          const [blob] = yield* sql<{ id: string }>`
            insert into blob (customer_id, size) values (1, 1) returning blob_id as id`
          const { id: blobID } = yield* Effect.fromNullable(blob)
          yield* sql`
            insert into place_description_room_photo (customer_id, place_description_room_id, file_name, content_type,
              sort_order, width_px, height_px, blob_id)
            values (1, ${roomID}, 'a.jpg', 'image/jpeg', 1, 1, 1, ${blobID}::uuid)`
          return { blobID, pending: deleting }
        }).pipe(sql.withTransaction)
        yield* Fiber.join(pending)
        const blobs = yield* eventually(
          sql`select 1 from blob where customer_id = 1 and blob_id = ${blobID}::uuid`,
          (rows) => rows.length === 0
        )
        expect(blobs).toEqual([])
      })
    )
  }
})

describe("The spool for photos", () => {
  const piece = Buffer.alloc(100_000, "x")

  it.scoped("holds small photos in memory, and large ones in temporary files", () =>
    Effect.gen(function* () {
      const path = yield* Effect.scoped(
        Effect.gen(function* () {
          const spool = yield* makePhotoSpool
          const small = yield* spool(Stream.make(Buffer.from("sma"), Buffer.from("ll")))
          expect(small).toMatchObject({ source: Buffer.from("small"), size: 5, head: Buffer.from("small") })
          const large = yield* spool(Stream.make(Buffer.from("head"), ...Array.from({ length: 30 }, () => piece)))
          const other = yield* spool(Stream.make(piece, piece, piece))
          if (typeof large.source !== "string" || typeof other.source !== "string") return expect.fail("is held")
          const { mode, size } = yield* Effect.promise(() => stat(String(large.source)))
          expect([mode & 0o777, size, large.size]).toEqual([0o600, 3_000_004, 3_000_004])
          expect(Buffer.from(large.head).toString()).toBe(`head${"x".repeat(12)}`)
          const bytes = yield* Effect.promise(() => readFile(String(large.source)))
          expect(bytes.equals(Buffer.concat([Buffer.from("head"), Buffer.alloc(3_000_000, "x")]))).toBe(true)
          yield* large.remove
          expect([existsSync(large.source), existsSync(other.source)]).toEqual([false, true])
          return other.source
        })
      )
      expect(existsSync(path)).toBe(false)
    })
  )
})
