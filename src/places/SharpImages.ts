import { Effect, Layer } from "effect"
import sharp, { type Sharp } from "sharp"
import { fn } from "../platform/telemetry/Fn.ts"
import { ImageProcessor, NoPicture, type PictureType, UnreadablePicture } from "./ImageProcessor.ts"
import { fittingBox, pictureTypeOf } from "./PictureRules.ts"

/** More than any camera of a telephone has; a picture beyond it is refused by its header, before it is decoded. */
const mostPixels = 120_000_000

const options = { limitInputPixels: mostPixels, failOn: "error" } as const

const secondsForOne = 30

/** As many as node's thread pool has; more would only wait there with all their bytes. */
const threads = 4

const encode = (image: Sharp, contentType: PictureType) => {
  switch (contentType) {
    case "image/jpeg":
      return image.jpeg({ quality: 85 })
    case "image/png":
      return image.png()
    case "image/webp":
      return image.webp({ quality: 85 })
  }
}

const process = async (bytes: Uint8Array, contentType: PictureType) => {
  const image = sharp(bytes, options)
  const { autoOrient } = await image.metadata()
  // What is not asked to be kept is left out by sharp: places, cameras, previews, profiles.
  const fitted = image
    .autoOrient()
    .resize({ ...fittingBox(autoOrient), fit: "inside", withoutEnlargement: true })
    .timeout({ seconds: secondsForOne })
  const { data, info } = await encode(fitted, contentType).toBuffer({ resolveWithObject: true })
  return { bytes: data, contentType, widthPx: info.width, heightPx: info.height }
}

const unreadable = (cause: unknown) =>
  new UnreadablePicture({
    message: /pixel limit/i.test(String(cause))
      ? `has more than ${mostPixels / 1_000_000} million pixels`
      : "cannot be read as a picture; it may be damaged or cut off"
  })

/** The processor on libvips, which works outside of the main thread. */
export const SharpImages = Layer.effect(
  ImageProcessor,
  Effect.gen(function* () {
    sharp.cache(false)
    const turns = yield* Effect.makeSemaphore(threads)
    // What has begun cannot be stopped, so it keeps its turn to its end.
    const inTurn = <A, E>(work: Effect.Effect<A, E>) => turns.withPermits(1)(Effect.uninterruptible(work))

    return ImageProcessor.of({
      prepare: fn("ImageProcessor.prepare")(function* (bytes) {
        const contentType = pictureTypeOf(bytes)
        if (contentType === undefined) return yield* new NoPicture()
        return yield* inTurn(Effect.tryPromise({ try: () => process(bytes, contentType), catch: unreadable }))
      }),
      forWord: fn("ImageProcessor.forWord")(function* (bytes) {
        if (pictureTypeOf(bytes) !== "image/webp") return bytes
        const image = sharp(bytes, options).flatten({ background: "#ffffff" }).jpeg({ quality: 90 })
        return yield* inTurn(Effect.promise(() => image.toBuffer()))
      })
    })
  })
)
