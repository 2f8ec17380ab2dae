import { randomUUID } from "node:crypto"
import { Cause, ConfigError, Effect } from "effect"
import { patiently } from "../platform/StartPatience.ts"
import { hasBlobs } from "./BlobPlaceNote.ts"
import type { S3, S3Failed, S3Place } from "./S3Client.ts"

const text = "Casework tries out whether it can keep files here. This one may be deleted."

/**
 * A file that comes and goes. It needs what files need, and nothing else: to ask for the bucket, or for a list, one must
 * be allowed to list, and an answer would not tell whether files can be written and removed.
 */
const tryOut = ({ client, s3 }: S3, { bucket, prefix }: S3Place) => {
  // Nodes that start at once do not take away each other's.
  const object = { Bucket: bucket, Key: `${prefix}start-check-${randomUUID()}` }
  return async (abortSignal: AbortSignal) => {
    await client.send(new s3.PutObjectCommand({ ...object, Body: text }), { abortSignal })
    const found = await client
      .send(new s3.GetObjectCommand(object), { abortSignal })
      .then(({ Body }) => Body?.transformToString())
      // Also when the time for the rest is over.
      .finally(() => client.send(new s3.DeleteObjectCommand(object), { abortSignal: AbortSignal.timeout(5000) }))
    if (found !== text) throw new Error("it does not give back what it was given")
  }
}

const refusal = ({ bucket, endpoint }: S3Place, { message }: S3Failed) =>
  ConfigError.InvalidData(
    ["BLOB_STORE"],
    `Cannot keep files in the bucket ${bucket}${endpoint === undefined ? "" : ` at ${new URL(endpoint).origin}`}: ` +
      `${message}. Check the bucket, the endpoint, the region and the credentials; ` +
      "the service must be allowed to read, write and delete objects"
  )

/**
 * A store that refuses will do so with every file: the start ends. One that is only away is another matter. When it has
 * files already it worked before, and everything but files works without it: a node that restarts while it is away must
 * come up, and says 503 for files until it is back. When it has none it may be on its way, and is waited for; then the
 * setting is the likelier fault.
 */
export const checkS3 = (
  place: S3Place,
  s3: S3,
  answered: <A>(send: (signal: AbortSignal) => Promise<A>) => Effect.Effect<A, S3Failed>
) =>
  Effect.gen(function* () {
    const tried = answered(tryOut(s3, place))
    const hasFiles = yield* hasBlobs
    yield* (hasFiles ? tried : patiently<S3Failed>("the store of files", ({ isPassing }) => isPassing)(tried)).pipe(
      Effect.catchAll((error) =>
        hasFiles && error.isPassing
          ? Effect.logWarning(
              "the store of files is away: files are answered with 503 until it is back",
              Cause.fail(error)
            )
          : Effect.fail(refusal(place, error))
      )
    )
  })
