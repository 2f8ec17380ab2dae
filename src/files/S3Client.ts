import { Data, Effect, Predicate } from "effect"
import { StoreAway } from "../platform/BlobTrouble.ts"
import type { BlobPlace } from "../platform/settings/BlobPlace.ts"
import { reasonOf } from "./OrAway.ts"

export type S3Place = Extract<BlobPlace, { readonly _tag: "S3" }>

const nothing = () => undefined

/** What goes wrong comes as an error, and is logged as such; without one of its own the client writes lines between ours. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Loaded only where it is used: the client takes longer to load than the rest of the service. */
export const loadClient = ({ endpoint, region }: S3Place) =>
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

export type S3 = Effect.Effect.Success<ReturnType<typeof loadClient>>

/** Of an answer; none when there was no answer. */
const statusOf = (error: unknown) =>
  Predicate.hasProperty(error, "$metadata") &&
  Predicate.hasProperty(error.$metadata, "httpStatusCode") &&
  typeof error.$metadata.httpStatusCode === "number"
    ? error.$metadata.httpStatusCode
    : undefined

const codeOf = (error: unknown) => (error instanceof Error ? error.name : "")

/**
 * Whether the store says that an object, or the part of it that was asked for, is not there. It says so only to those who
 * may list the bucket: others are told that they may not read it.
 */
const isLost = (error: unknown) => {
  const status = statusOf(error)
  return status === 416 || (status === 404 && codeOf(error) !== "NoSuchBucket")
}

const absences =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|TimeoutError)$/

/** Whether it may be otherwise later: nobody is there, or somebody who cannot cope. All else is for the operator to mend. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof StoreAway) return true
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  const status = statusOf(error)
  if (status !== undefined) return status >= 500 || status === 408 || status === 429
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  return absences.test(code) || absences.test(codeOf(error))
}

/** In a few words. Of an answer only its code: what else stands there is the store's, and may repeat what it was sent. */
const inWords = (error: unknown) => {
  const status = statusOf(error)
  if (status !== undefined) return `${codeOf(error).replaceAll(/\W/g, "").slice(0, 60)} (${status})`
  return codeOf(error) === "CredentialsProviderError"
    ? "there are no credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    : reasonOf(error)
}

/** What the client threw, which may be anything. */
export class S3Failed extends Data.TaggedError("S3Failed")<{ readonly cause: unknown }> {
  override get message() {
    return inWords(this.cause)
  }

  get isLost() {
    return isLost(this.cause)
  }

  get isPassing() {
    return isPassing(this.cause)
  }
}
