import { open } from "node:fs/promises"
import { type Cause, Effect, Layer } from "effect"
import sharp, { type Metadata, type Sharp } from "sharp"
import { fn } from "../platform/telemetry/Fn.ts"
import {
  ImageProcessor,
  type Picture,
  type PictureSource,
  type PictureType,
  UnreadablePicture
} from "./ImageProcessor.ts"
import { isLosslessWebp, makeTurns, megabytesOf, mostMegabytes } from "./PictureMemory.ts"
import { fittingBox, pictureTypeOf } from "./PictureRules.ts"

/** More than any phone camera has; a larger picture is refused by its header, before it is decoded. */
const mostPixels = 120_000_000

const options = { limitInputPixels: mostPixels, failOn: "error" } as const

const secondsForOne = 30

/** The size of node's thread pool; more pictures would only wait there with all their bytes in memory. */
const atOnce = 4

const least = mostMegabytes / atOnce

/** Enough bytes to recognise a picture. */
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
  // sharp drops all metadata that it is not told to keep: locations, cameras, previews, profiles.
  const fitted = image
    .autoOrient()
    .resize({ ...fittingBox(autoOrient), fit: "inside", withoutEnlargement: true })
    .timeout({ seconds: secondsForOne })
  const { data, info } = await encode(fitted, contentType).toBuffer({ resolveWithObject: true })
  return { bytes: data, contentType, widthPx: info.width, heightPx: info.height }
}

/** The errors by which libvips blames the machine, not the picture. */
const isOurs = /^(?:Error: )?timeout|out of memory|bad_alloc|cannot allocate|too many open files|file is missing/i

/** Says what is wrong with the picture; a failure of the machine is a defect. */
export const unreadable = ({ error }: Cause.UnknownException): Effect.Effect<never, UnreadablePicture> => {
  const reason = String(error)
  if (isOurs.test(reason)) return Effect.die(error)
  return new UnreadablePicture({
    message: /pixel limit/i.test(reason)
      ? `has more than ${mostPixels / 1_000_000} million pixels`
      : "cannot be read as a picture; it may be damaged or incomplete"
  })
}

/** Runs sharp, whose errors differ only in their message. */
const bySharp = <A>(work: () => Promise<A>) => Effect.catchAll(Effect.tryPromise(work), unreadable)

const noPicture = new UnreadablePicture({ message: "is not a JPEG, PNG or WebP picture" })

const tooHeavy = new UnreadablePicture({
  message:
    "needs too much memory to be read; save it smaller, or without progressive, interlaced or lossless compression"
})

/** Processes pictures with libvips, which works outside of the main thread. */
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
      if (contentType === undefined) return yield* noPicture
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
