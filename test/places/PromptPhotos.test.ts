import { describe, expect, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { CustomerID, PlaceDescriptionRoomID, PlaceDescriptionRoomPhotoID } from "../../schema/Ids.ts"
import { BlobID, BlobStore } from "../../src/files/BlobStore.ts"
import { PhotoBytes } from "../../src/places/PhotoBytes.ts"
import { PhotosRepo, StoredPhoto } from "../../src/places/PhotosRepo.ts"

const megabyte = 1024 * 1024
const room = PlaceDescriptionRoomID.make(1)

const photo = new StoredPhoto({
  placeDescriptionRoomPhotoID: PlaceDescriptionRoomPhotoID.make(1),
  placeDescriptionRoomID: room,
  fileName: "a.jpg",
  contentType: "image/jpeg",
  accessToken: "00000000-0000-4000-8000-000000000001",
  sortOrder: 1,
  widthPx: 1,
  heightPx: 1,
  dateCreatedUtc: DateTime.unsafeMake(0),
  blobID: BlobID.make("00000000-0000-4000-8000-000000000002")
})

/** Reads the photos of prompts for these customers, and holds each until all that fit at once have been read. */
const readFor = (customers: ReadonlyArray<number>, megabytes: number) =>
  Effect.gen(function* () {
    const reading: Array<number> = []
    const goOn = yield* Deferred.make<void>()
    const photos = Layer.mock(PhotosRepo, {
      weigh: () => Effect.succeed({ count: 1, bytes: megabytes * megabyte }),
      list: () => Effect.succeed([photo])
    })
    const store = Layer.mock(BlobStore, {
      get: (customerID) => {
        reading.push(customerID)
        return Stream.make(Uint8Array.of(1))
      }
    })
    return yield* Effect.gen(function* () {
      const { forPrompt, weigh } = yield* PhotoBytes
      const one = (id: number) =>
        Effect.gen(function* () {
          const customerID = CustomerID.make(id)
          const images = yield* forPrompt(customerID, room, yield* weigh(customerID, room))
          yield* Deferred.await(goOn)
          return images
        }).pipe(Effect.scoped)
      const all = yield* Effect.fork(Effect.forEach(customers, one, { concurrency: "unbounded" }))
      yield* Effect.yieldNow().pipe(Effect.repeatN(100))
      const atFirst = [...reading]
      yield* Deferred.succeed(goOn, undefined)
      return { atFirst, done: (yield* Fiber.join(all)).length }
    }).pipe(Effect.provide(PhotoBytes.layer.pipe(Layer.provide(Layer.merge(photos, store)))))
  })

describe("Photos for prompts", () => {
  it.effect("are read as memory allows, for at most two rooms of a customer at a time", () =>
    Effect.gen(function* () {
      expect(yield* readFor([1, 1, 1, 1, 2], 30)).toEqual({ atFirst: [1, 1, 2], done: 5 })
      expect(yield* readFor([1, 2, 3, 4, 5], 30)).toEqual({ atFirst: [1, 2, 3], done: 5 })
      expect(yield* readFor([1, 2, 3, 4, 5], 1)).toEqual({ atFirst: [1, 2, 3, 4, 5], done: 5 })
    })
  )

  it.effect("are refused before anything is read when they are too large", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(readFor([1], 33))).toMatchObject({ status: 400 })
    })
  )
})
