import type { HttpClientResponse } from "@effect/platform"
import { Effect, Schema, Stream } from "effect"
import { retryAfterSeconds } from "../platform/outbound/RetryAfter.ts"
import { wholeUpTo } from "../platform/WholeBytes.ts"
import { ErrorAnswer } from "./GraphShapes.ts"
import { MailProblem } from "./MailGraph.ts"

type Response = HttpClientResponse.HttpClientResponse

// A message with pictures in its HTML can be large; an even larger one is set aside together with its source.
const largestJson = 20 * 1024 * 1024

const reasons: Readonly<Record<number, MailProblem["reason"]>> = {
  404: "Missing",
  409: "Exists",
  410: "Expired",
  408: "Unavailable",
  // The provider already has this part of a file, or misses an earlier one; uploading the file from scratch helps.
  416: "Unavailable",
  429: "Unavailable"
}

// The provider is too busy to begin. Other failures may come after it has done what was asked.
const beforeItBegins: ReadonlySet<number> = new Set([429, 503])

const reasonOf = (status: number) => reasons[status] ?? (status >= 500 ? "Unavailable" : "Refused")

export const brokeOff = () =>
  new MailProblem({ reason: "Unavailable", message: "The mail provider's response broke off" })

export const bytesOf = (response: Response) => Stream.mapError(response.stream, brokeOff)

const tooLarge = () => new MailProblem({ reason: "Refused", message: "The mail provider's response is too large" })

const textOf = (response: Response) =>
  bytesOf(response).pipe(
    wholeUpTo(largestJson, tooLarge),
    Effect.map((bytes) => bytes.toString("utf8"))
  )

/** Fails with the provider's error message unless the response is a success. */
export const orProblem = (response: Response): Effect.Effect<Response, MailProblem> => {
  if (response.status >= 200 && response.status < 300) return Effect.succeed(response)
  return textOf(response).pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.parseJson(ErrorAnswer))),
    Effect.map(({ error }) => [error.code, error.message].filter((part) => part !== null).join(": ")),
    Effect.orElseSucceed(() => ""),
    Effect.flatMap((said) => {
      const askedFor = retryAfterSeconds(response.headers["retry-after"])
      return Effect.fail(
        new MailProblem({
          // A lost sync state may also come as a 400 with one of these codes.
          reason: /^(?:syncState(?:NotFound|Invalid)|resyncRequired)/i.test(said)
            ? "Expired"
            : reasonOf(response.status),
          message: `The mail provider returned ${response.status} ${said.slice(0, 500)}`.trim(),
          ...(askedFor !== undefined && { retryAfterSeconds: askedFor }),
          ...(beforeItBegins.has(response.status) && { isUndone: true })
        })
      )
    })
  )
}

export const decodeJson =
  <A, I>(Answer: Schema.Schema<A, I>) =>
  (response: Response): Effect.Effect<A, MailProblem> =>
    Effect.flatMap(textOf(response), (text) =>
      Schema.decodeUnknown(Schema.parseJson(Answer))(text).pipe(
        Effect.mapError(
          ({ message }) =>
            new MailProblem({
              reason: "Refused",
              message: `The mail provider's response could not be read: ${message.slice(0, 300)}`
            })
        )
      )
    )
