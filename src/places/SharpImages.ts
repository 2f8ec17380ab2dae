import { Effect, Layer } from "effect"
import sharp, { type Metadata, type Sharp } from "sharp"
import { fn } from "../platform/telemetry/Fn.ts"
import { ImageProcessor, NoPicture, type PictureType, UnreadablePicture } from "./ImageProcessor.ts"
import { isLosslessWebp, makeTurns, megabytesOf, mostMegabytes } from "./PictureMemory.ts"
import { fittingBox, pictureTypeOf } from "./PictureRules.ts"

/** More than any camera of a telephone has; a picture beyond it is refused by its header, before it is decoded. */
const mostPixels = 120_000_000

const options = { limitInputPixels: mostPixels, failOn: "error" } as const

const secondsForOne = 30

/** As many at once as node's thread pool has; more would only wait there with all their bytes. */
const least = mostMegabytes / 4

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

const megabytesFor = (
  { channels, depth, height, isProgressive, width }: Metadata,
  contentType: PictureType,
  bytes: Uint8Array
) =>
  megabytesOf({
    contentType,
    width,
    height,
    channels,
    bytes: depth === "uchar" ? 1 : 2,
    isProgressive,
    isLossless: isLosslessWebp(bytes)
  })

const process = async (image: Sharp, { autoOrient }: Metadata, contentType: PictureType) => {
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

const tooHeavy = new UnreadablePicture({
  message: "takes too much memory to be read; save it smaller, or neither progressive nor interlaced nor lossless"
})

/** The processor on libvips, which works outside of the main thread. */
export const SharpImages = Layer.effect(
  ImageProcessor,
  Effect.gen(function* () {
    sharp.cache(false)
    const inTurn = yield* makeTurns(mostMegabytes)

    return ImageProcessor.of({
      prepare: fn("ImageProcessor.prepare")(function* (bytes) {
        const contentType = pictureTypeOf(bytes)
        if (contentType === undefined) return yield* new NoPicture()
        const image = sharp(bytes, options)
        const header = yield* Effect.tryPromise({ try: () => image.metadata(), catch: unreadable })
        const megabytes = megabytesFor(header, contentType, bytes)
        if (megabytes > mostMegabytes) return yield* tooHeavy
        return yield* inTurn(
          Math.max(least, megabytes),
          Effect.tryPromise({ try: () => process(image, header, contentType), catch: unreadable })
        )
      }),
      forWord: fn("ImageProcessor.forWord")(function* (bytes) {
        if (pictureTypeOf(bytes) !== "image/webp") return bytes
        const image = sharp(bytes, options).flatten({ background: "#ffffff" }).jpeg({ quality: 90 })
        return yield* inTurn(
          least,
          Effect.promise(() => image.toBuffer())
        )
      })
    })
  })
)
