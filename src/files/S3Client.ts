import { Data, Effect, Predicate } from "effect"
import { StoreAway } from "../platform/BlobTrouble.ts"
import type { BlobLocation } from "../platform/settings/BlobLocation.ts"
import { reasonOf } from "./OrAway.ts"

export type S3Location = Extract<BlobLocation, { readonly _tag: "S3" }>

const nothing = () => undefined

/**
 * Failures arrive as errors and are logged as such; without a logger the client would write its own lines between ours.
 */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Loaded only where it is used: the client takes longer to load than the rest of the service. */
export const loadClient = ({ endpoint, region }: S3Location) =>
  Effect.gen(function* () {
    const s3 = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new s3.S3Client({
            region,
            logger: silent,
            // Stores other than Amazon's rarely have a DNS name for each bucket, or support the newer checksums.
            ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
            requestChecksumCalculation: "WHEN_REQUIRED",
            responseChecksumValidation: "WHEN_REQUIRED",
            // Only connecting is limited here: the client's request timeout would also cut off slow requests, and it
            // has none for the body of a response.
            requestHandler: { connectionTimeout: 5_000 }
          })
      ),
      (opened) => Effect.sync(() => opened.destroy())
    )
    return { s3, client }
  })

export type S3 = Effect.Effect.Success<ReturnType<typeof loadClient>>

/** The status of a response; undefined when there was none. */
const statusOf = (error: unknown) =>
  Predicate.hasProperty(error, "$metadata") &&
  Predicate.hasProperty(error.$metadata, "httpStatusCode") &&
  typeof error.$metadata.httpStatusCode === "number"
    ? error.$metadata.httpStatusCode
    : undefined

const codeOf = (error: unknown) => (error instanceof Error ? error.name : "")

/**
 * Whether the store itself says that it has no such object. A 404 without its code may be from a proxy whose store is
 * restarting. The store says so only to clients that may list the bucket: others are told that they may not read it.
 */
const isLost = (error: unknown) => statusOf(error) === 404 && codeOf(error) === "NoSuchKey"

/** Whether the store itself says that the object ends before the requested part. */
const isTooShort = (error: unknown) => statusOf(error) === 416 && codeOf(error) === "InvalidRange"

const absences =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|TimeoutError)$/

/** Whether the failure may pass: the store is unreachable or overloaded. Anything else is for the operator to fix. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof StoreAway) return true
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  const status = statusOf(error)
  if (status !== undefined) return status >= 500 || status === 408 || status === 429
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  return absences.test(code) || absences.test(codeOf(error))
}

/**
 * Describes a failure in a few words. Of a response it uses only the code: the rest is written by the store and may
 * repeat what it was sent.
 */
const inWords = (error: unknown) => {
  const status = statusOf(error)
  if (status !== undefined) return `${codeOf(error).replaceAll(/\W/g, "").slice(0, 60)} (${status})`
  return codeOf(error) === "CredentialsProviderError"
    ? "there are no credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    : reasonOf(error)
}

/** Whatever the client threw. */
export class S3Failed extends Data.TaggedError("S3Failed")<{ readonly cause: unknown }> {
  override get message() {
    return inWords(this.cause)
  }

  get isLost() {
    return isLost(this.cause)
  }

  get isTooShort() {
    return isTooShort(this.cause)
  }

  get isPassing() {
    return isPassing(this.cause)
  }
}
