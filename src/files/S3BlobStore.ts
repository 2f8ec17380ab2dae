import { mkdtemp, open, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Cause, Duration, Effect, Layer, Option, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { BlobPlace } from "../platform/settings/BlobPlace.ts"
import { type BlobID, BlobStore, type ByteRange, type Bytes, eachPiece, inOnePiece } from "./BlobStore.ts"
import { S3Deadlines } from "./S3Deadlines.ts"
import { untilStalled } from "./Stalled.ts"

type S3Place = Extract<BlobPlace, { readonly _tag: "S3" }>

const nothing = () => undefined

/** What goes wrong comes as an error, and is logged as such; without one of its own the client writes lines between ours. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Loaded only where it is used: the client takes longer to load than the rest of the service. */
const loadClient = ({ endpoint, region }: S3Place) =>
  Effect.gen(function* () {
    const s3 = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new s3.S3Client({
            region,
            logger: silent,
            // Stores that are not Amazon's rarely have a name in the DNS for each bucket, nor the newer checksums.
            ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
            requestChecksumCalculation: "WHEN_REQUIRED",
            responseChecksumValidation: "WHEN_REQUIRED",
            // It has no limit for a request that would spare a slow one, and none at all for the body of an answer.
            requestHandler: { connectionTimeout: 5_000 }
          })
      ),
      (opened) => Effect.sync(() => opened.destroy())
    )
    return { s3, client }
  })

/**
 * The bytes as a file for the time of the upload. The protocol wants to know the length first; cutting an upload in
 * parts instead would hold megabytes of each in memory and leave parts behind when a process dies.
 */
const spooled = <E>(bytes: Bytes<E>) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "casework-upload-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const path = join(folder, "bytes")
    yield* Effect.acquireUseRelease(
      Effect.promise(() => open(path, "wx", 0o600)),
      (file) => eachPiece(bytes, (piece) => Effect.promise(() => file.writeFile(piece))),
      (file) => Effect.promise(() => file.close())
    )
    const { size } = yield* Effect.promise(() => stat(path))
    return { path, size }
  })

/** The client leaves it open when a request comes to nothing, and a file that is open keeps its room on the disk. */
const opened = (path: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => (await open(path)).createReadStream()),
    (file) => Effect.async<void>((resume) => file.close(() => resume(Effect.void)))
  )

/** Objects in a bucket of Amazon S3 or of a store that speaks its language. */
export const s3BlobStore = (place: S3Place) =>
  Layer.scoped(
    BlobStore,
    Effect.gen(function* () {
      const { client, s3 } = yield* loadClient(place)
      const { answer, stalled } = yield* S3Deadlines

      const objectOf = (customerID: CustomerID, blobID: BlobID) => ({
        Bucket: place.bucket,
        Key: `${place.prefix}${customerID}/${blobID}`
      })

      /** Within the limit also where nothing can be interrupted, as while something is tidied up. */
      const answered = <A>(send: (abortSignal: AbortSignal) => Promise<A>) =>
        Effect.promise(send).pipe(
          Effect.interruptible,
          Effect.timeoutFailCause({
            duration: answer,
            onTimeout: () => Cause.die(new Error(`The store did not answer within ${Duration.format(answer)}`))
          })
        )

      const get = (customerID: CustomerID, blobID: BlobID, range?: ByteRange) =>
        Stream.unwrap(
          answered(async (abortSignal) => {
            const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
            const command = new s3.GetObjectCommand({ ...objectOf(customerID, blobID), ...Range })
            const { Body } = await client.send(command, { abortSignal })
            if (!(Body instanceof Readable)) throw new Error(`The store answered without bytes for blob ${blobID}`)
            return NodeStream.fromReadable<unknown, Uint8Array>(
              () => Body,
              (error) => error
            ).pipe(
              Stream.orDie,
              // Only while somebody waits for the next bytes: whoever takes them slowly is no fault of the store.
              Stream.timeoutFailCause(
                () => Cause.die(new Error(`The store sent nothing of blob ${blobID} for ${Duration.format(stalled)}`)),
                stalled
              )
            )
          })
        )

      const remove = (customerID: CustomerID, blobID: BlobID) =>
        answered((abortSignal) =>
          client.send(new s3.DeleteObjectCommand(objectOf(customerID, blobID)), { abortSignal })
        ).pipe(Effect.asVoid)

      return BlobStore.of({
        put: (customerID, blobID, bytes) =>
          Effect.gen(function* () {
            const { path, size } = yield* spooled(bytes)
            const file = yield* opened(path)
            const command = new s3.PutObjectCommand({
              ...objectOf(customerID, blobID),
              Body: file,
              ContentLength: size
            })
            yield* Effect.promise((abortSignal) => client.send(command, { abortSignal })).pipe(
              Effect.interruptible,
              Effect.raceFirst(Effect.interruptible(untilStalled(file, stalled))),
              // The store may have taken it although the answer never came.
              Effect.onError(() => Effect.exit(remove(customerID, blobID)))
            )
          }).pipe(Effect.scoped),
        get,
        getPiece: (customerID, blobID, range) => inOnePiece(get(customerID, blobID, range)),
        getReadable: () => Option.none(),
        remove
      })
    })
  )
