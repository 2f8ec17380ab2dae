import { Effect, Scope } from "effect"
import { makeKeyedPermits } from "../platform/KeyedPermits.ts"
import type { PictureType } from "./ImageProcessor.ts"

/** What the first bytes of a picture say of it. */
export interface PictureHeader {
  readonly contentType: PictureType
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Of a channel. */
  readonly bytes: 1 | 2
  /** A JPEG in several scans, or an interlaced PNG. */
  readonly isProgressive: boolean
  readonly isLossless: boolean
}

/** WebP says in its first chunk whether it is the simple, lossy kind. */
export const isLosslessWebp = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(12, 16)) !== "VP8 "

/**
 * Bytes for a pixel while it is decoded, as measured at the peak. Most pictures are decoded line by line; these are held
 * whole: a progressive JPEG (two bytes for each coefficient), an interlaced PNG, a lossless WebP.
 */
const bytesForPixel = ({ bytes, channels, contentType, isLossless, isProgressive }: PictureHeader) => {
  switch (contentType) {
    case "image/jpeg":
      return isProgressive ? 2.2 * channels : 0.5
    case "image/png":
      return channels * bytes * (isProgressive ? 1.4 : 0.3)
    case "image/webp":
      return isLossless ? 4.3 : 1
  }
}

/** About how many megabytes a picture takes until it is made smaller. */
export const megabytesOf = (picture: PictureHeader) =>
  20 + Math.ceil((picture.width * picture.height * bytesForPixel(picture)) / 1_000_000)

/** For all pictures that are worked on at once: enough for one of 50 million pixels of any telephone. */
export const mostMegabytes = 360

/**
 * Lets work begin while all that runs weighs no more than so much, and of one owner so many at a time: more of that owner's
 * wait among themselves, in nobody else's way. Who waits for room is not overtaken: something heavy would wait for ever.
 */
export const makeTurns = (most: number, ofOneOwner: number) =>
  Effect.gen(function* () {
    const own = yield* makeKeyedPermits(ofOneOwner)
    const door = yield* Effect.makeSemaphore(1)
    const room = yield* Effect.makeSemaphore(most)

    const enter = (weight: number) =>
      Effect.uninterruptibleMask((restore) =>
        restore(door.take(1)).pipe(
          Effect.zipRight(Effect.ensuring(restore(room.take(weight)), door.release(1))),
          Effect.zipRight(Effect.addFinalizer(() => room.release(weight)))
        )
      )

    /** Until the scope is closed. */
    const take = (owner: string, weight: number) => Effect.zipRight(own.take(owner), enter(weight))

    return {
      take,
      /** What has begun cannot be stopped, so it keeps its turn to its end. */
      inTurn: <A, E, R>(owner: string, weight: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(
          Scope.make(),
          (scope) => Effect.zipRight(Scope.extend(take(owner, weight), scope), Effect.uninterruptible(work)),
          Scope.close
        )
    }
  })
