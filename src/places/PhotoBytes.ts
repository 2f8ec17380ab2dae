import { Chunk, Context, Effect, Layer, Stream } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionRoomID } from "../../schema/Ids.ts"
import type { AiImage } from "../ai/AiProvider.ts"
import { type BlobID, BlobStore } from "../files/BlobStore.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotosRepo } from "./PhotosRepo.ts"

/** Stored photos as bytes, for those who cannot work on a stream. */
export class PhotoBytes extends Context.Tag("casework/PhotoBytes")<
  PhotoBytes,
  {
    readonly read: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<Buffer>
    /** All photos of a room, in their order. 400 when they are more than a prompt can hold. */
    readonly forPrompt: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID
    ) => Effect.Effect<ReadonlyArray<AiImage>, BadRequest>
  }
>() {
  static readonly layer = Layer.effect(
    PhotoBytes,
    Effect.suspend(() => make)
  )
}

const largestPrompt = 32 * 1024 * 1024

const make = Effect.gen(function* () {
  const repo = yield* PhotosRepo
  const store = yield* BlobStore

  const read = fn("PhotoBytes.read")(function* (customerID: CustomerID, blobID: BlobID) {
    const chunks = yield* Stream.runCollect(store.get(customerID, blobID))
    return Buffer.concat(Chunk.toReadonlyArray(chunks))
  })

  return PhotoBytes.of({
    read,
    forPrompt: fn("PhotoBytes.forPrompt")(function* (customerID, roomID) {
      const images: Array<AiImage> = []
      let size = 0
      for (const { blobID, contentType } of yield* repo.list(customerID, roomID)) {
        const bytes = yield* read(customerID, blobID)
        size += bytes.length
        if (size > largestPrompt) {
          return yield* BadRequest.at("includePhotosInPrompt", "is too much: the room's photos are more than 32 MiB")
        }
        images.push({ contentType, bytes })
      }
      return images
    })
  })
})
