import { HttpApiSchema } from "@effect/platform"
import { Effect, Schema } from "effect"

/** One problem of a rejected request: its location and what to change. */
export class ProblemDetail extends Schema.Class<ProblemDetail>("ProblemDetail")({
  path: Schema.String.annotations({
    description: "The field, query or path parameter, with dots into nested objects",
    examples: ["priority"]
  }),
  message: Schema.String.annotations({ examples: ["is required"] })
}) {}

const body = <const Status extends number, const Reason extends string>(status: Status, reason: Reason) => ({
  status: Schema.Literal(status).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => status)
  ),
  error: Schema.Literal(reason).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => reason)
  ),
  message: Schema.String.annotations({ description: "What went wrong and what to change, in plain words" }),
  requestId: Schema.String.annotations({
    description: "Also in the X-Request-Id header; the log contains the cause under this id"
  }).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => "")
  )
})

/** The 409 for a key whose first request is still running: unlike with other refusals, the work may yet be done. */
export const stillRunning = "A request with this Idempotency-Key is still running. Try again in a moment."

const answers = <A>(status: number, description: string) => HttpApiSchema.annotations<A>({ status, description })

// Each class has a _tag, so that services can catch it, but is no Schema.TaggedError: that would add the tag to every
// body, which is exactly `{ status, error, message, requestId }`. Nor is it a JavaScript Error: a refusal is a normal
// response, and nobody would read the stack trace that each would capture.
export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(
  {
    ...body(400, "Bad Request"),
    // Omitted when the refusal is not about a particular field.
    details: Schema.optionalWith(
      Schema.Array(ProblemDetail).annotations({ description: "Every problem found, not only the first" }),
      { exact: true }
    )
  },
  answers(400, "The request is not valid")
) {
  readonly _tag = "BadRequest"
  static of(message: string) {
    return Effect.fail(new BadRequest({ message }))
  }
  /** Reports a problem with a single field. */
  static at(path: string, problem: string) {
    return Effect.fail(BadRequest.listing([{ path, message: problem }]))
  }
  /** Lists every problem, and repeats the first few in the message. */
  static listing(problems: ReadonlyArray<{ readonly path: string; readonly message: string }>) {
    const sentences = problems
      .slice(0, 5)
      .map(({ message, path }) => (path === "" ? `The body ${message}` : `${path} ${message}`))
    const rest = problems.length > sentences.length ? `; and ${problems.length - sentences.length} more` : ""
    return new BadRequest({
      message: `${sentences.join("; ")}${rest}.`,
      details: problems.map((problem) => new ProblemDetail(problem))
    })
  }
}

export class Unauthorized extends Schema.Class<Unauthorized>("Unauthorized")(
  body(401, "Unauthorized"),
  answers(401, "Missing or invalid credentials, or an expired token")
) {
  readonly _tag = "Unauthorized"
  static of(message: string) {
    return Effect.fail(new Unauthorized({ message }))
  }
}

export class Forbidden extends Schema.Class<Forbidden>("Forbidden")(
  body(403, "Forbidden"),
  answers(403, "The caller may not do this")
) {
  readonly _tag = "Forbidden"
  static of(message: string) {
    return Effect.fail(new Forbidden({ message }))
  }
}

export class NotFound extends Schema.Class<NotFound>("NotFound")(
  body(404, "Not Found"),
  answers(404, "There is no such resource, or it belongs to another customer")
) {
  readonly _tag = "NotFound"
  static of(message: string) {
    return Effect.fail(new NotFound({ message }))
  }
}

export class MethodNotAllowed extends Schema.Class<MethodNotAllowed>("MethodNotAllowed")(
  body(405, "Method Not Allowed"),
  answers(405, "The path does not support this method; see the Allow header")
) {
  readonly _tag = "MethodNotAllowed"
}

export class Conflict extends Schema.Class<Conflict>("Conflict")(
  body(409, "Conflict"),
  answers(409, "The request conflicts with the stored data")
) {
  readonly _tag = "Conflict"
  static of(message: string) {
    return Effect.fail(new Conflict({ message }))
  }
}

export class PreconditionFailed extends Schema.Class<PreconditionFailed>("PreconditionFailed")(
  body(412, "Precondition Failed"),
  answers(412, "The resource has changed since the ETag in If-Match was read")
) {
  readonly _tag = "PreconditionFailed"
  static of(message: string) {
    return Effect.fail(new PreconditionFailed({ message }))
  }
}

export class PayloadTooLarge extends Schema.Class<PayloadTooLarge>("PayloadTooLarge")(
  body(413, "Payload Too Large"),
  answers(413, "The request body is larger than this route accepts")
) {
  readonly _tag = "PayloadTooLarge"
}

export class UnsupportedMediaType extends Schema.Class<UnsupportedMediaType>("UnsupportedMediaType")(
  body(415, "Unsupported Media Type"),
  answers(415, "The request body has a type that this route does not accept")
) {
  readonly _tag = "UnsupportedMediaType"
}

export class RangeNotSatisfiable extends Schema.Class<RangeNotSatisfiable>("RangeNotSatisfiable")(
  body(416, "Range Not Satisfiable"),
  answers(416, "The range lies outside the file; Content-Range gives its size")
) {
  readonly _tag = "RangeNotSatisfiable"
  /** Sent in the Content-Range header, not in the body. */
  size = 0
  static of(size: number) {
    return Effect.suspend(() => {
      const error = new RangeNotSatisfiable({ message: `The range lies outside the file, which has ${size} bytes.` })
      error.size = size
      return Effect.fail(error)
    })
  }
}

export class UnprocessableEntity extends Schema.Class<UnprocessableEntity>("UnprocessableEntity")(
  body(422, "Unprocessable Entity"),
  answers(422, "The Idempotency-Key was used before with another body")
) {
  readonly _tag = "UnprocessableEntity"
  static of(message: string) {
    return Effect.fail(new UnprocessableEntity({ message }))
  }
}

export class TooManyRequests extends Schema.Class<TooManyRequests>("TooManyRequests")(
  body(429, "Too Many Requests"),
  answers(429, "Too many attempts; the Retry-After header says when to try again")
) {
  readonly _tag = "TooManyRequests"
  /** Sent in the Retry-After header, not in the body. */
  retryAfterSeconds = 0
  static after(seconds: number, message: string) {
    return Effect.suspend(() => {
      const error = new TooManyRequests({ message })
      error.retryAfterSeconds = Math.max(1, Math.ceil(seconds))
      return Effect.fail(error)
    })
  }
}

export class InternalServerError extends Schema.Class<InternalServerError>("InternalServerError")(
  body(500, "Internal Server Error"),
  answers(500, "Something failed unexpectedly; the log contains the cause under the request id")
) {
  readonly _tag = "InternalServerError"
}

export class BadGateway extends Schema.Class<BadGateway>("BadGateway")(
  body(502, "Bad Gateway"),
  answers(502, "A service behind this one failed; nothing changed")
) {
  readonly _tag = "BadGateway"
  static of(message: string) {
    return Effect.fail(new BadGateway({ message }))
  }
}

export class ServiceUnavailable extends Schema.Class<ServiceUnavailable>("ServiceUnavailable")(
  body(503, "Service Unavailable"),
  answers(503, "Not ready; try again shortly")
) {
  readonly _tag = "ServiceUnavailable"
  static of(message: string) {
    return Effect.fail(new ServiceUnavailable({ message }))
  }
}

export const ApiError = Schema.Union(
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  PreconditionFailed,
  PayloadTooLarge,
  UnsupportedMediaType,
  RangeNotSatisfiable,
  UnprocessableEntity,
  TooManyRequests,
  InternalServerError,
  BadGateway,
  ServiceUnavailable
)
export type ApiError = typeof ApiError.Type

export const isApiError = Schema.is(ApiError)
