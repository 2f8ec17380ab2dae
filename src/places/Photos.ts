import type { Multipart } from "@effect/platform"
import { Array as Arr, Context, Effect, Layer, Schema, type Stream } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, type NotFound, type PayloadTooLarge, type UnsupportedMediaType } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionRoomID, PlaceDescriptionRoomPhotoID } from "../../schema/Ids.ts"
import type { PhotoOrder, PlaceDescriptionRoomPhoto } from "../../schema/PlaceDescriptionPhotos.ts"
import { Blobs } from "../files/Blobs.ts"
import type { OpenFile } from "../files/OpenFile.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { lastTransaction } from "../platform/database/LastTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotoIntake } from "./PhotoIntake.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { missingRoom } from "./Rooms.ts"
import { RoomsRepo } from "./RoomsRepo.ts"

export class Photos extends Context.Tag("casework/Photos")<
  Photos,
  {
    readonly list: (
      roomID: PlaceDescriptionRoomID
    ) => Effect.Effect<ReadonlyArray<PlaceDescriptionRoomPhoto>, NotFound, CurrentRep>
    readonly upload: (
      roomID: PlaceDescriptionRoomID,
      form: Stream.Stream<Multipart.Part, Multipart.MultipartError>
    ) => Effect.Effect<
      ReadonlyArray<PlaceDescriptionRoomPhoto>,
      NotFound | BadRequest | PayloadTooLarge | UnsupportedMediaType,
      CurrentRep
    >
    readonly reorder: (
      roomID: PlaceDescriptionRoomID,
      order: PhotoOrder
    ) => Effect.Effect<void, NotFound | BadRequest, CurrentRep>
    readonly delete: (photoID: PlaceDescriptionRoomPhotoID) => Effect.Effect<void, NotFound, CurrentRep>
    readonly download: (accessToken: string) => Effect.Effect<OpenFile, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Photos,
    Effect.suspend(() => make)
  )
}

const missingPhoto = (photoID: PlaceDescriptionRoomPhotoID) => `There is no photo ${photoID}.`

const isToken = Schema.is(Schema.UUID)

/** Whether two lists hold the same ids, each once. */
export const isReordering = (before: ReadonlyArray<number>, after: ReadonlyArray<number>) =>
  before.length === after.length && new Set(after).size === after.length && Arr.difference(before, after).length === 0

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* PhotosRepo
  const rooms = yield* RoomsRepo
  const reports = yield* ReportsRepo
  const blobs = yield* Blobs
  const intake = yield* PhotoIntake

  const findRoom = (customerID: CustomerID, roomID: PlaceDescriptionRoomID) =>
    rooms.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))

  const lockRoom = (customerID: CustomerID, roomID: PlaceDescriptionRoomID) =>
    reports.touchOfRoom(customerID, roomID).pipe(changedOrNotFound(missingRoom(roomID)))

  return Photos.of({
    list: fn("Photos.list")(function* (roomID) {
      const { customerID } = yield* CurrentRep
      yield* findRoom(customerID, roomID)
      return yield* repo.list(customerID, roomID)
    }),

    upload: fn("Photos.upload")(function* (roomID, form) {
      const { customerID } = yield* CurrentRep
      yield* findRoom(customerID, roomID)
      const taken = yield* intake.take(customerID, form)
      return yield* lockRoom(customerID, roomID).pipe(
        Effect.zipRight(repo.append(customerID, roomID, taken)),
        lastTransaction(
          inTransaction,
          Effect.forEach(taken, ({ blobID }) => blobs.removeUnused(customerID, blobID), { discard: true })
        )
      )
    }),

    reorder: fn("Photos.reorder")(function* (roomID, { photoIds }) {
      const { customerID } = yield* CurrentRep
      yield* lockRoom(customerID, roomID)
      const photos = yield* repo.list(customerID, roomID)
      const before = photos.map(({ placeDescriptionRoomPhotoID }) => placeDescriptionRoomPhotoID)
      if (!isReordering(before, photoIds)) {
        return yield* BadRequest.at("photoIds", "must contain every photo of the room exactly once")
      }
      yield* repo.setOrder(customerID, roomID, photoIds)
    }, inTransaction),

    delete: fn("Photos.delete")(function* (photoID) {
      const { customerID } = yield* CurrentRep
      yield* reports.touchOfPhoto(customerID, photoID).pipe(changedOrNotFound(missingPhoto(photoID)))
      const { blobID } = yield* repo.find(customerID, photoID).pipe(orNotFound(missingPhoto(photoID)))
      yield* repo.delete(customerID, photoID)
      yield* blobs.discard(customerID, blobID)
    }, inTransaction),

    download: fn("Photos.download")(function* (accessToken) {
      const found = isToken(accessToken) ? repo.findByToken(accessToken) : Effect.succeedNone
      const { blobID, customerID, ...photo } = yield* found.pipe(orNotFound("There is no such photo."))
      // The photo behind a token never changes, so the token can serve as the ETag.
      return {
        ...photo,
        etag: `"${accessToken.toLowerCase()}"`,
        ...blobs.reader(customerID, blobID)
      }
    })
  })
})
