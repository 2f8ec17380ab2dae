import { availableParallelism } from "node:os"
import { Multipart } from "@effect/platform"
import { Array as Arr, Context, Deferred, Effect, Either, Fiber, Layer, Stream } from "effect"
import { BadRequest, type PayloadTooLarge, UnsupportedMediaType } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { mostPhotosAtOnce } from "../../schema/PlaceDescriptionPhotos.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { cleanFileName } from "../files/FileName.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ImageProcessor, type Picture, pictureTypes, UnreadablePicture } from "./ImageProcessor.ts"
import { makePhotoSpool, type SpooledFile } from "./PhotoSpool.ts"
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

interface SentFile extends SpooledFile {
  readonly name: string
  readonly declaredType: string
}

const isPhotoField = (part: Multipart.Part): part is Multipart.File =>
  Multipart.isFile(part) && part.key.toLowerCase() === "files"

/**
 * Processes the files in order of arrival: the next one arrives while others are processed, and each is dropped when
 * done. Files after a failure are not waited for. Errors in the form itself are reported as for any other form.
 */
const onFiles = <A, E>(form: Form, work: (file: SentFile) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const turns = yield* Effect.makeSemaphore(availableParallelism())
    const working: Array<Fiber.RuntimeFiber<A, E>> = []
    const failed = yield* Deferred.make<void>()
    const spool = yield* makePhotoSpool
    const begin = ({ content, contentType, name }: Multipart.File) =>
      Effect.gen(function* () {
        const file = yield* spool(content)
        yield* turns.take(1)
        yield* work({ name: cleanFileName(name), declaredType: contentType, ...file }).pipe(
          Effect.ensuring(file.remove),
          Effect.ensuring(turns.release(1)),
          Effect.tapErrorCause(() => Deferred.succeed(failed, undefined)),
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
  Effect.fail(new UnsupportedMediaType({ message: `${name} ${reason}. No file of the request was stored.` }))

const noPicture = "is not a JPEG, PNG or WebP picture"

const sentAs = (declaredType: string) => `was sent as ${declaredType}; send it as ${pictureTypes.join(", ")}`

/** The blobs stored so far for the request, and whether it is refused anyway, so that more would be pointless. */
interface Taken {
  readonly blobIDs: Array<BlobID>
  isRefused: boolean
}

const removedAtOnce = 4

const make = Effect.gen(function* () {
  const images = yield* ImageProcessor
  const blobs = yield* Blobs

  /** Stores each picture right away: a request may bring a hundred of them. */
  const keep = (customerID: CustomerID, name: string, taken: Taken) =>
    fn("PhotoIntake.keep")(function* ({ bytes, ...picture }: Picture) {
      if (bytes.length > largestPicture) {
        return yield* new UnreadablePicture({ message: "is over 5 MiB even after it was scaled down" })
      }
      if (taken.isRefused) return []
      const blobID = yield* blobs.storeWhole(customerID, bytes)
      taken.blobIDs.push(blobID)
      return [{ ...picture, fileName: name, blobID }]
    })

  const prepare = fn("PhotoIntake.prepare")(function* (customerID: CustomerID, file: SentFile, taken: Taken) {
    const { declaredType, head, name, size, source } = file
    if (size === 0) return yield* new UnreadablePicture({ message: "is empty" })
    if (!isPictureType(declaredType)) {
      return yield* notTaken(name, pictureTypeOf(head) === undefined ? noPicture : sentAs(declaredType))
    }
    return yield* images.prepareFor(customerID, source, keep(customerID, name, taken))
  })

  /**
   * Returns a photo, or what is wrong with it, so that one response lists all unusable pictures. A file that is not a
   * picture fails the whole request at once.
   */
  const prepareOrExplain = (customerID: CustomerID, taken: Taken) => (file: SentFile) =>
    prepare(customerID, file, taken).pipe(
      Effect.map(Either.right),
      Effect.catchTag("UnreadablePicture", ({ message }) => {
        taken.isRefused = true
        return Effect.succeed(Either.left(`(${file.name}) ${message}`))
      })
    )

  /** Blobs that cannot be removed now are left to the sweep. */
  const remove = (customerID: CustomerID, { blobIDs }: Taken) =>
    Effect.forEach(
      blobIDs,
      (blobID) =>
        blobs
          .removeUnused(customerID, blobID)
          .pipe(Effect.catchAllCause((cause) => Effect.logWarning("could not remove unused blobs", cause))),
      { concurrency: removedAtOnce, discard: true }
    )

  const takeAll = fn("PhotoIntake.take")(function* (customerID: CustomerID, form: Form, taken: Taken) {
    const prepared = yield* onFiles(form, prepareOrExplain(customerID, taken))
    if (prepared.length === 0) return yield* BadRequest.at("files", "must contain at least one picture")
    if (prepared.length > mostPhotosAtOnce) {
      return yield* BadRequest.at("files", `must contain at most ${mostPhotosAtOnce} pictures`)
    }
    const problems = prepared.flatMap((result, index) =>
      Either.isLeft(result) ? [{ path: `files.${index}`, message: result.left }] : []
    )
    if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
    return Arr.flatten(Arr.getRights(prepared))
  })

  return PhotoIntake.of({
    take: (customerID, form) =>
      Effect.suspend(() => {
        const taken: Taken = { blobIDs: [], isRefused: false }
        return Effect.onError(takeAll(customerID, form, taken), () => remove(customerID, taken))
      })
  })
})
