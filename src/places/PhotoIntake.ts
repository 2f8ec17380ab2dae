import { availableParallelism } from "node:os"
import { Multipart } from "@effect/platform"
import { Array as Arr, Context, Deferred, Effect, Either, Fiber, Layer, Stream } from "effect"
import { BadRequest, type PayloadTooLarge, UnsupportedMediaType } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { mostPhotosAtOnce } from "../../schema/PlaceDescriptionPhotos.ts"
import { Blobs } from "../files/Blobs.ts"
import { cleanFileName } from "../files/FileName.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ImageProcessor, pictureTypes, UnreadablePicture } from "./ImageProcessor.ts"
import type { NewPhoto } from "./PhotosRepo.ts"
import { largestPicture, pictureTypeOf } from "./PictureRules.ts"

type Form = Stream.Stream<Multipart.Part, Multipart.MultipartError>

/** Turns the pictures of a form into stored photos that no row refers to yet: all of them, or none. */
export class PhotoIntake extends Context.Tag("casework/PhotoIntake")<
  PhotoIntake,
  {
    readonly take: (
      customerID: CustomerID,
      form: Form
    ) => Effect.Effect<ReadonlyArray<NewPhoto>, BadRequest | PayloadTooLarge | UnsupportedMediaType>
  }
>() {
  static readonly layer = Layer.effect(
    PhotoIntake,
    Effect.suspend(() => make)
  )
}

interface SentFile {
  readonly name: string
  readonly declaredType: string
  readonly bytes: Uint8Array
}

const isPhotoField = (part: Multipart.Part): part is Multipart.File =>
  Multipart.isFile(part) && part.key.toLowerCase() === "files"

/**
 * Works on the files in the order in which they come: while some are worked on the next one arrives, and what has been
 * worked on is let go. What comes behind a failure is not waited for. What is wrong with the form itself is answered as for any
 * form.
 */
const onFiles = <A, E>(form: Form, work: (file: SentFile) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const turns = yield* Effect.makeSemaphore(availableParallelism())
    const working: Array<Fiber.RuntimeFiber<A, E>> = []
    const failed = yield* Deferred.make<void>()
    const begin = ({ contentEffect, contentType, name }: Multipart.File) =>
      Effect.gen(function* () {
        const bytes = yield* contentEffect
        yield* turns.take(1)
        yield* work({ name: cleanFileName(name), declaredType: contentType, bytes }).pipe(
          Effect.tapErrorCause(() => Deferred.succeed(failed, undefined)),
          Effect.ensuring(turns.release(1)),
          Effect.interruptible,
          Effect.forkScoped,
          Effect.map((fiber) => working.push(fiber)),
          Effect.uninterruptible
        )
        return working.length <= mostPhotosAtOnce
      })
    yield* Stream.runForEachWhile(form, (part) => (isPhotoField(part) ? begin(part) : Effect.succeed(true))).pipe(
      Effect.orDie,
      Effect.raceFirst(Deferred.await(failed))
    )
    return yield* Effect.forEach(working, Fiber.join)
  }).pipe(Effect.scoped)

const isPictureType = (contentType: string) =>
  pictureTypes.some((allowed) => allowed === contentType.split(";")[0]?.trim().toLowerCase())

const notTaken = (name: string, reason: string) =>
  Effect.fail(new UnsupportedMediaType({ message: `${name} ${reason}. Nothing of the request was kept.` }))

const noPicture = "is not a JPEG, PNG or WebP picture"

const sentAs = (declaredType: string) => `was sent as ${declaredType}; send it as ${pictureTypes.join(", ")}`

const make = Effect.gen(function* () {
  const images = yield* ImageProcessor
  const blobs = yield* Blobs

  const prepare = fn("PhotoIntake.prepare")(function* ({ bytes, declaredType, name }: SentFile) {
    if (bytes.length === 0) return yield* new UnreadablePicture({ message: "is empty" })
    if (!isPictureType(declaredType)) {
      return yield* notTaken(name, pictureTypeOf(bytes) === undefined ? noPicture : sentAs(declaredType))
    }
    const picture = yield* images.prepare(bytes).pipe(Effect.catchTag("NoPicture", () => notTaken(name, noPicture)))
    return picture.bytes.length > largestPicture
      ? yield* new UnreadablePicture({ message: "is over 5 MiB even after it was made smaller" })
      : { ...picture, fileName: name }
  })

  /** A picture, or what is wrong with it: every file is looked at before anything is refused. */
  const prepareOrExplain = (file: SentFile) =>
    prepare(file).pipe(
      Effect.map(Either.right),
      Effect.catchTag("UnreadablePicture", ({ message }) => Effect.succeed(Either.left(`(${file.name}) ${message}`)))
    )

  return PhotoIntake.of({
    take: fn("PhotoIntake.take")(function* (customerID, form) {
      const prepared = yield* onFiles(form, prepareOrExplain)
      if (prepared.length === 0) return yield* BadRequest.at("files", "must hold at least one picture")
      if (prepared.length > mostPhotosAtOnce) {
        return yield* BadRequest.at("files", `must hold at most ${mostPhotosAtOnce} pictures`)
      }
      const problems = prepared.flatMap((result, index) =>
        Either.isLeft(result) ? [{ path: `files.${index}`, message: result.left }] : []
      )
      if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
      // Should one of them fail, the others are bytes that nothing refers to: the sweep takes them away.
      return yield* Effect.forEach(
        Arr.getRights(prepared),
        ({ bytes, ...photo }) => Effect.map(blobs.storeWhole(customerID, bytes), (blobID) => ({ ...photo, blobID })),
        { concurrency: 4 }
      )
    })
  })
})
