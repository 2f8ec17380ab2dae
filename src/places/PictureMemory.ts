import { Effect, Scope } from "effect"
import { makeKeyedPermits } from "../platform/concurrency/KeyedPermits.ts"
import type { PictureType } from "./ImageProcessor.ts"

/** What the first bytes of a picture say about it. */
export interface PictureHeader {
  readonly contentType: PictureType
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Bytes per channel. */
  readonly bytes: 1 | 2
  /** A JPEG in several scans, or an interlaced PNG. */
  readonly isProgressive: boolean
  readonly isLossless: boolean
}

/** WebP says in its first chunk whether it is the simple, lossy kind. */
export const isLosslessWebp = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(12, 16)) !== "VP8 "

/**
 * Bytes per pixel while decoding, as measured at the peak. Most pictures are decoded line by line, but a progressive
 * JPEG (two bytes per coefficient), an interlaced PNG and a lossless WebP are held whole.
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

/** Estimates how many megabytes a picture takes until it has been made smaller. */
export const megabytesOf = (picture: PictureHeader) =>
  20 + Math.ceil((picture.width * picture.height * bytesForPixel(picture)) / 1_000_000)

/** Shared by all pictures being processed: enough for one of 50 million pixels from any phone. */
export const mostMegabytes = 360

/**
 * Starts work while all running work weighs no more than `most`, and at most `ofOneOwner` at a time per owner: the rest
 * of that owner's work queues separately and blocks nobody else. Work waiting for room is never overtaken, or heavy
 * work would wait forever.
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

    /** Holds the turn until the scope closes. */
    const take = (owner: string, weight: number) => Effect.zipRight(own.take(owner), enter(weight))

    return {
      take,
      /** Work that has begun cannot be stopped, so it keeps its turn until it ends. */
      inTurn: <A, E, R>(owner: string, weight: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(
          Scope.make(),
          (scope) => Effect.zipRight(Scope.extend(take(owner, weight), scope), Effect.uninterruptible(work)),
          Scope.close
        )
    }
  })
