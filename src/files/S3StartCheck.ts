import { randomUUID } from "node:crypto"
import { Cause, ConfigError, Effect } from "effect"
import { patiently } from "../platform/concurrency/StartPatience.ts"
import { hasBlobs } from "./BlobsRepo.ts"
import type { S3, S3Failed, S3Location } from "./S3Client.ts"

const text = "Casework checks whether it can store files here. This one can be deleted."

/**
 * Writes, reads and deletes a small object. It needs the same permissions as files do: asking for the bucket or a
 * listing would require permission to list, and would not tell whether files can be written and removed.
 */
const tryOut = ({ client, s3 }: S3, { bucket, prefix }: S3Location) => {
  // A random name, so that nodes starting at the same time do not delete each other's object.
  const object = { Bucket: bucket, Key: `${prefix}start-check-${randomUUID()}` }
  return async (abortSignal: AbortSignal) => {
    await client.send(new s3.PutObjectCommand({ ...object, Body: text }), { abortSignal })
    const found = await client
      .send(new s3.GetObjectCommand(object), { abortSignal })
      .then(({ Body }) => Body?.transformToString())
      // Runs even when the time for the rest is over.
      .finally(() => client.send(new s3.DeleteObjectCommand(object), { abortSignal: AbortSignal.timeout(5000) }))
    if (found !== text) throw new Error("it does not return what was stored")
  }
}

const refusal = ({ bucket, endpoint }: S3Location, { message }: S3Failed) =>
  ConfigError.InvalidData(
    ["BLOB_STORE"],
    `Cannot store files in the bucket ${bucket}${endpoint === undefined ? "" : ` at ${new URL(endpoint).origin}`}: ` +
      `${message}. Check the bucket, the endpoint, the region and the credentials; ` +
      "the service must be allowed to read, write and delete objects"
  )

/**
 * A store that refuses would refuse every file, so the start fails. A store that is only away is tolerated if it
 * already has files: all else works without it, and files get 503 until it is back. If it has none it may still be
 * starting and is waited for; after that the setting is the likelier fault.
 */
export const checkS3 = (
  place: S3Location,
  s3: S3,
  answered: <A>(send: (signal: AbortSignal) => Promise<A>) => Effect.Effect<A, S3Failed>
) =>
  Effect.gen(function* () {
    const tried = answered(tryOut(s3, place))
    const hasFiles = yield* hasBlobs
    yield* (hasFiles ? tried : patiently<S3Failed>("the file store", ({ isPassing }) => isPassing)(tried)).pipe(
      Effect.catchAll((error) =>
        hasFiles && error.isPassing
          ? Effect.logWarning(
              "the file store is unavailable: requests for files return 503 until it is back",
              Cause.fail(error)
            )
          : Effect.fail(refusal(place, error))
      )
    )
  })
