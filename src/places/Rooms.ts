import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, type NotFound } from "../../schema/Errors.ts"
import type {
  CustomerID,
  PlaceDescriptionReportID,
  PlaceDescriptionRoomID,
  PlaceDescriptionRoomVersionID
} from "../../schema/Ids.ts"
import {
  longestHtml,
  PlaceDescriptionRoom,
  type PlaceDescriptionRoomCreate,
  type PlaceDescriptionRoomUpdate,
  type PlaceDescriptionRoomVersion
} from "../../schema/PlaceDescriptionRooms.ts"
import { Blobs } from "../files/Blobs.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { isEmptyHtml } from "./EmptyHtml.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { missingReport } from "./Reports.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { cleanHtml, isTooMuchForRoom, mostTags } from "./RoomHtml.ts"
import { RoomsRepo, type StoredRoom } from "./RoomsRepo.ts"
import { withPhotos } from "./RoomsWithPhotos.ts"
import { RoomVersionsRepo } from "./RoomVersionsRepo.ts"

export class Rooms extends Context.Tag("casework/Rooms")<
  Rooms,
  {
    readonly list: (
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<ReadonlyArray<PlaceDescriptionRoom>, NotFound, CurrentRep>
    readonly get: (roomID: PlaceDescriptionRoomID) => Effect.Effect<PlaceDescriptionRoom, NotFound, CurrentRep>
    readonly create: (
      reportID: PlaceDescriptionReportID,
      room: PlaceDescriptionRoomCreate
    ) => Effect.Effect<PlaceDescriptionRoom, NotFound | BadRequest, CurrentRep>
    readonly update: (
      roomID: PlaceDescriptionRoomID,
      change: PlaceDescriptionRoomUpdate
    ) => Effect.Effect<void, NotFound | BadRequest, CurrentRep>
    readonly delete: (roomID: PlaceDescriptionRoomID) => Effect.Effect<void, NotFound, CurrentRep>
    readonly versions: (
      roomID: PlaceDescriptionRoomID
    ) => Effect.Effect<ReadonlyArray<PlaceDescriptionRoomVersion>, NotFound, CurrentRep>
    readonly restore: (
      roomID: PlaceDescriptionRoomID,
      versionID: PlaceDescriptionRoomVersionID
    ) => Effect.Effect<PlaceDescriptionRoom, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Rooms,
    Effect.suspend(() => make)
  )
}

export const missingRoom = (roomID: PlaceDescriptionRoomID) => `There is no room ${roomID}.`

const tooLong = `must be at most ${longestHtml.toLocaleString("en")} characters long after it is cleaned: each & becomes &amp;, for example`

const tooMuch = `must have at most ${mostTags.toLocaleString("en")} tags, before and after it is cleaned, and neither hundreds of nested tags nor hundreds of thousands of attributes or entities`

/**
 * Returns the HTML as stored: clean, short enough to be sent back in a later write, and null when no text is left, so
 * that the notes are shown. It takes a while: do not call it while a report is locked.
 */
const storedHtml = fn("Rooms.storedHtml")(function* (html: string | null) {
  if (html === null) return null
  if (isTooMuchForRoom(html)) return yield* BadRequest.at("transcriptHtml", tooMuch)
  const clean = cleanHtml(html)
  if (isEmptyHtml(clean)) return null
  if (clean.length > longestHtml) return yield* BadRequest.at("transcriptHtml", tooLong)
  return isTooMuchForRoom(clean) ? yield* BadRequest.at("transcriptHtml", tooMuch) : clean
})

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* RoomsRepo
  const versions = yield* RoomVersionsRepo
  const reports = yield* ReportsRepo
  const photos = yield* PhotosRepo
  const blobs = yield* Blobs

  const find = (customerID: CustomerID, roomID: PlaceDescriptionRoomID) =>
    repo.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))

  const lock = (customerID: CustomerID, roomID: PlaceDescriptionRoomID) =>
    reports
      .touchOfRoom(customerID, roomID)
      .pipe(changedOrNotFound(missingRoom(roomID)), Effect.zipRight(find(customerID, roomID)))

  /** Writes a person's HTML and keeps the previous HTML as a version. */
  const replaceHtml = fn("Rooms.replaceHtml")(function* (
    customerID: CustomerID,
    room: StoredRoom,
    html: string | null
  ) {
    const { customerRepID } = yield* CurrentRep
    if (html === room.transcriptHtml) return
    yield* versions.keep(customerID, room.placeDescriptionRoomID)
    yield* repo.writeHtml(customerID, room.placeDescriptionRoomID, html, { customerRepID, modelID: null })
  })

  const shown = fn("Rooms.shown")(function* (customerID: CustomerID, roomID: PlaceDescriptionRoomID) {
    const room = yield* find(customerID, roomID)
    return new PlaceDescriptionRoom({ ...room, photos: yield* photos.list(customerID, roomID) })
  })

  return Rooms.of({
    list: fn("Rooms.list")(function* (reportID) {
      const { customerID } = yield* CurrentRep
      yield* reports.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
      const rooms = yield* repo.list(customerID, reportID)
      return withPhotos(rooms, yield* photos.listOfReport(customerID, reportID))
    }),

    get: fn("Rooms.get")(function* (roomID) {
      const { customerID } = yield* CurrentRep
      return yield* shown(customerID, roomID)
    }),

    create: fn("Rooms.create")(function* (
      reportID,
      { name = null, sortOrder, transcriptHtml = null, transcriptRaw = null }
    ) {
      const { customerID } = yield* CurrentRep
      const html = yield* storedHtml(transcriptHtml)
      yield* reports.touch(customerID, reportID).pipe(changedOrNotFound(missingReport(reportID)))
      const order = sortOrder ?? (yield* repo.nextOrder(customerID, reportID))
      const room = yield* repo.insert(customerID, reportID, { name, sortOrder: order, transcriptRaw })
      yield* replaceHtml(customerID, room, html)
      return yield* shown(customerID, room.placeDescriptionRoomID)
    }, inTransaction),

    update: fn("Rooms.update")(function* (roomID, { transcriptHtml, ...change }) {
      const { customerID } = yield* CurrentRep
      const html = transcriptHtml === undefined ? undefined : yield* storedHtml(transcriptHtml)
      const stored = yield* lock(customerID, roomID)
      yield* repo.update(customerID, roomID, { ...stored, ...change })
      if (html !== undefined) yield* replaceHtml(customerID, stored, html)
    }, inTransaction),

    delete: fn("Rooms.delete")(function* (roomID) {
      const { customerID } = yield* CurrentRep
      yield* lock(customerID, roomID)
      const pictures = yield* photos.list(customerID, roomID)
      yield* repo.delete(customerID, roomID)
      yield* blobs.discardAll(
        customerID,
        pictures.map(({ blobID }) => blobID)
      )
    }, inTransaction),

    versions: fn("Rooms.versions")(function* (roomID) {
      const { customerID } = yield* CurrentRep
      yield* find(customerID, roomID)
      return yield* versions.list(customerID, roomID)
    }),

    restore: fn("Rooms.restore")(function* (roomID, versionID) {
      const { customerID, customerRepID } = yield* CurrentRep
      const room = yield* lock(customerID, roomID)
      const version = yield* versions
        .find(customerID, roomID, versionID)
        .pipe(orNotFound(`There is no version ${versionID} of room ${roomID}.`))
      if (version.transcriptHtml !== room.transcriptHtml) {
        yield* versions.keep(customerID, roomID)
        yield* repo.writeHtml(customerID, roomID, version.transcriptHtml, {
          customerRepID: version.customerRepID ?? customerRepID,
          modelID: version.modelIdUsed
        })
      }
      return yield* shown(customerID, roomID)
    }, inTransaction)
  })
})
