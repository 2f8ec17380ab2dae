import { open } from "node:fs/promises"
import { type Cause, Effect, Layer } from "effect"
import sharp, { type Metadata, type Sharp } from "sharp"
import { fn } from "../platform/telemetry/Fn.ts"
import {
  ImageProcessor,
  NoPicture,
  type Picture,
  type PictureSource,
  type PictureType,
  UnreadablePicture
} from "./ImageProcessor.ts"
import { isLosslessWebp, makeTurns, megabytesOf, mostMegabytes } from "./PictureMemory.ts"
import { fittingBox, pictureTypeOf } from "./PictureRules.ts"

/** More than any camera of a telephone has; a picture beyond it is refused by its header, before it is decoded. */
const mostPixels = 120_000_000

const options = { limitInputPixels: mostPixels, failOn: "error" } as const

const secondsForOne = 30

/** As many at once as node's thread pool has; more would only wait there with all their bytes. */
const atOnce = 4

const least = mostMegabytes / atOnce

/** Enough to know a picture by. */
const headSize = 16

const headOf = async (source: PictureSource) => {
  if (typeof source !== "string") return source.subarray(0, headSize)
  const file = await open(source)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headSize), 0, headSize, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

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
  head: Uint8Array
) =>
  megabytesOf({
    contentType,
    width,
    height,
    channels,
    bytes: depth === "uchar" ? 1 : 2,
    isProgressive,
    isLossless: isLosslessWebp(head)
  })

const reduce = async (image: Sharp, { autoOrient }: Metadata, contentType: PictureType): Promise<Picture> => {
  // What is not asked to be kept is left out by sharp: places, cameras, previews, profiles.
  const fitted = image
    .autoOrient()
    .resize({ ...fittingBox(autoOrient), fit: "inside", withoutEnlargement: true })
    .timeout({ seconds: secondsForOne })
  const { data, info } = await encode(fitted, contentType).toBuffer({ resolveWithObject: true })
  return { bytes: data, contentType, widthPx: info.width, heightPx: info.height }
}

/** How libvips says that the machine, and not the picture, is to blame. */
const isOurs = /^(?:Error: )?timeout|out of memory|bad_alloc|cannot allocate|too many open files|file is missing/i

/** What is wrong with the picture; what is wrong here is a defect. */
export const unreadable = ({ error }: Cause.UnknownException): Effect.Effect<never, UnreadablePicture> => {
  const reason = String(error)
  if (isOurs.test(reason)) return Effect.die(error)
  return new UnreadablePicture({
    message: /pixel limit/i.test(reason)
      ? `has more than ${mostPixels / 1_000_000} million pixels`
      : "cannot be read as a picture; it may be damaged or cut off"
  })
}

/** What sharp does; it says what goes wrong in words alone. */
const bySharp = <A>(work: () => Promise<A>) => Effect.catchAll(Effect.tryPromise(work), unreadable)

const tooHeavy = new UnreadablePicture({
  message: "takes too much memory to be read; save it smaller, or neither progressive nor interlaced nor lossless"
})

/** The processor on libvips, which works outside of the main thread. */
export const SharpImages = Layer.effect(
  ImageProcessor,
  Effect.gen(function* () {
    sharp.cache(false)
    const { inTurn } = yield* makeTurns(mostMegabytes, atOnce)

    const prepareOf = fn("ImageProcessor.prepare")(function* <A, E, R>(
      owner: string,
      source: PictureSource,
      use: (picture: Picture) => Effect.Effect<A, E, R>
    ) {
      const head = yield* Effect.promise(() => headOf(source))
      const contentType = pictureTypeOf(head)
      if (contentType === undefined) return yield* new NoPicture()
      const image = sharp(source, options)
      const header = yield* bySharp(() => image.metadata())
      const megabytes = megabytesFor(header, contentType, head)
      if (megabytes > mostMegabytes) return yield* tooHeavy
      const reduced = bySharp(() => reduce(image, header, contentType))
      return yield* inTurn(owner, Math.max(least, megabytes), Effect.flatMap(reduced, use))
    })

    return ImageProcessor.of({
      prepare: (source) => prepareOf("", source, Effect.succeed),
      prepareFor: (customerID, source, use) => prepareOf(String(customerID), source, use),
      forWord: fn("ImageProcessor.forWord")(function* (customerID, bytes) {
        if (pictureTypeOf(bytes) !== "image/webp") return bytes
        const image = sharp(bytes, options).flatten({ background: "#ffffff" }).jpeg({ quality: 90 })
        return yield* inTurn(
          String(customerID),
          least,
          Effect.promise(() => image.toBuffer())
        )
      })
    })
  })
)
