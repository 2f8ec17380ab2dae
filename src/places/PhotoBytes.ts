import { Context, Effect, Layer, type Scope } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionRoomID } from "../../schema/Ids.ts"
import type { AiImage } from "../ai/AiCall.ts"
import { type BlobID, BlobStore } from "../files/BlobStore.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { wholeOf } from "../platform/WholeBytes.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { makeTurns } from "./PictureMemory.ts"

interface PromptWeight {
  readonly count: number
  readonly megabytes: number
}

/** Reads stored photos as bytes, for consumers that cannot work on a stream. */
export class PhotoBytes extends Context.Tag("casework/PhotoBytes")<
  PhotoBytes,
  {
    readonly read: (customerID: CustomerID, blobID: BlobID) => Effect.Effect<Buffer>
    /** Checks that the photos can be read, before any part of a response is sent. */
    readonly check: (customerID: CustomerID, blobIDs: ReadonlyArray<BlobID>) => Effect.Effect<void>
    /** Returns how large the photos of a room are in a prompt; fails with 400 when one prompt cannot hold them. */
    readonly weigh: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<PromptWeight, BadRequest>
    /** Returns a room's photos in order, once there is memory for them; it stays reserved until the scope closes. */
    readonly forPrompt: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      weight: PromptWeight
    ) => Effect.Effect<ReadonlyArray<AiImage>, BadRequest, Scope.Scope>
  }
>() {
  static readonly layer = Layer.effect(
    PhotoBytes,
    Effect.suspend(() => make)
  )
}

const megabyte = 1024 * 1024

const largestPrompt = 32 * megabyte

/** Shared by the photos of all prompts under way: on its way to a model each photo is held several times over. */
const mostMegabytes = 96

/** The largest prompts of one customer still leave room for one of another. */
const ofOneCustomer = 2

const tooMuch = BadRequest.at("includePhotosInPrompt", "cannot be true: the room's photos exceed 32 MiB")

const make = Effect.gen(function* () {
  const repo = yield* PhotosRepo
  const store = yield* BlobStore
  const turns = yield* makeTurns(mostMegabytes, ofOneCustomer)

  const read = fn("PhotoBytes.read")(function* (customerID: CustomerID, blobID: BlobID) {
    return yield* wholeOf(store.get(customerID, blobID))
  })

  return PhotoBytes.of({
    read,
    check: store.check,
    weigh: fn("PhotoBytes.weigh")(function* (customerID, roomID) {
      const { bytes, count } = yield* repo.weigh(customerID, roomID)
      return bytes > largestPrompt ? yield* tooMuch : { count, megabytes: Math.ceil(bytes / megabyte) }
    }),
    forPrompt: fn("PhotoBytes.forPrompt")(function* (customerID, roomID, { megabytes }) {
      yield* turns.take(String(customerID), megabytes)
      const images: Array<AiImage> = []
      let size = 0
      // Listed again: photos may have been deleted or added while this call waited for its turn.
      for (const { blobID, contentType } of yield* repo.list(customerID, roomID)) {
        const bytes = yield* read(customerID, blobID)
        size += bytes.length
        if (size > largestPrompt) return yield* tooMuch
        images.push({ contentType, bytes })
      }
      return images
    })
  })
})
