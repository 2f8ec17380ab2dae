import { open } from "node:fs/promises"
import { Readable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Duration, Effect, Layer, Option, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { BytesMissing, StoreAway } from "../platform/BlobTrouble.ts"
import { wholeOf } from "../platform/WholeBytes.ts"
import { type BlobID, BlobStore, type ByteRange } from "./BlobStore.ts"
import { orAway, storeAway } from "./OrAway.ts"
import { loadClient, S3Failed, type S3Location } from "./S3Client.ts"
import { S3Deadlines } from "./S3Deadlines.ts"
import { checkS3 } from "./S3StartCheck.ts"
import { spooled } from "./Spool.ts"
import { untilStalled } from "./Stalled.ts"

/**
 * Closes the file itself: the client leaves it open when a request fails, and an open file keeps its space on the disk.
 */
const opened = (path: string) =>
  Effect.acquireRelease(
    orAway(async () => (await open(path)).createReadStream()),
    (file) => Effect.async<void>((resume) => file.close(() => resume(Effect.void)))
  )

const checkedAtOnce = 8

/** Stores objects in a bucket of Amazon S3 or of a compatible store. */
export const s3BlobStore = (place: S3Location) =>
  Layer.scoped(
    BlobStore,
    Effect.gen(function* () {
      const loaded = yield* loadClient(place)
      const { client, s3 } = loaded
      const { answer, stalled } = yield* S3Deadlines

      const objectOf = (customerID: CustomerID, blobID: BlobID) => ({
        Bucket: place.bucket,
        Key: `${place.prefix}${customerID}/${blobID}`
      })

      /** Enforces the time limit even in uninterruptible regions, such as during cleanup. */
      const answered = <A>(send: (abortSignal: AbortSignal) => Promise<A>) =>
        Effect.tryPromise({ try: send, catch: (cause) => new S3Failed({ cause }) }).pipe(
          Effect.interruptible,
          Effect.timeoutFail({
            duration: answer,
            onTimeout: () =>
              new S3Failed({
                cause: new StoreAway({ message: `The file store did not respond within ${Duration.format(answer)}` })
              })
          })
        )
      yield* checkS3(place, loaded, answered)

      const stalledAt = (blobID: BlobID) => () =>
        new StoreAway({ message: `The file store sent nothing of blob ${blobID} for ${Duration.format(stalled)}` })

      const get = (customerID: CustomerID, blobID: BlobID, range?: ByteRange) =>
        Stream.unwrap(
          answered(async (abortSignal) => {
            const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
            const command = new s3.GetObjectCommand({ ...objectOf(customerID, blobID), ...Range })
            const { Body } = await client.send(command, { abortSignal })
            if (!(Body instanceof Readable)) throw new Error(`The file store returned no bytes for blob ${blobID}`)
            return NodeStream.fromReadable<StoreAway, Uint8Array>(() => Body, storeAway).pipe(
              // Times out only while a reader waits for the next bytes: a slow reader is not the store's fault.
              Stream.timeoutFail(stalledAt(blobID), stalled),
              Stream.orDie
            )
          }).pipe(
            // Every range is beyond the end of an empty object, even one from the start.
            Effect.catchIf(
              ({ isTooShort }) => isTooShort && range?.start === 0,
              () => Effect.succeed(Stream.empty)
            ),
            Effect.mapError(({ cause, isLost, isTooShort }) =>
              isLost || isTooShort ? new BytesMissing({ customerID, blobID }) : storeAway(cause)
            ),
            Effect.orDie
          )
        )

      // Reads a byte: an answer to HEAD has no body, and so does not tell whether a 404 is from the store.
      const check = (customerID: CustomerID, blobID: BlobID) =>
        Stream.runDrain(get(customerID, blobID, { start: 0, end: 0 }))

      const remove = (customerID: CustomerID, blobID: BlobID) =>
        answered((abortSignal) =>
          client.send(new s3.DeleteObjectCommand(objectOf(customerID, blobID)), { abortSignal })
        ).pipe(
          // Some compatible stores refuse to delete what they do not have.
          Effect.catchIf(
            ({ isLost }) => isLost,
            () => Effect.void
          ),
          Effect.mapError(({ cause }) => storeAway(cause)),
          Effect.orDie,
          Effect.asVoid
        )

      return BlobStore.of({
        put: (customerID, blobID, bytes) =>
          Effect.gen(function* () {
            // The protocol needs the length first. A multipart upload would hold megabytes of each part in memory and
            // leave parts behind when a process dies.
            const { path, size } = yield* spooled(bytes)
            const file = yield* opened(path)
            const command = new s3.PutObjectCommand({
              ...objectOf(customerID, blobID),
              Body: file,
              ContentLength: size
            })
            yield* orAway((abortSignal) => client.send(command, { abortSignal })).pipe(
              Effect.interruptible,
              Effect.raceFirst(Effect.interruptible(untilStalled(file, stalled))),
              // The store may have taken the object although the response never came.
              Effect.onError(() => Effect.exit(remove(customerID, blobID)))
            )
          }).pipe(Effect.scoped),
        get,
        getPiece: (customerID, blobID, range) => wholeOf(get(customerID, blobID, range)),
        getOpen: () => Option.none(),
        check: (customerID, blobIDs) =>
          Effect.forEach(blobIDs, (blobID) => check(customerID, blobID), { concurrency: checkedAtOnce, discard: true }),
        remove
      })
    })
  )
