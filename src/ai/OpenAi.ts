import { Data, Duration, Effect, Option, Redacted } from "effect"
import OpenAI, { APIConnectionError, APIError } from "openai"
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions"
import { retryAfterSeconds, retryPauses } from "../platform/outbound/RetryAfter.ts"
import type { AiLimits } from "./AiLimits.ts"
import { AnswerTooLarge, boundedFetch } from "./BoundedFetch.ts"
import { type Complete, CompletionFailed, type Question } from "./Completions.ts"
import { readOpenAiAnswer } from "./OpenAiAnswer.ts"

/** Far more than any text that is asked for. */
const longestAnswer = 1024 * 1024

class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly message: string
  readonly isPassing: boolean
  readonly secondsAskedFor: number
}> {}

const failed = (message: string, isPassing: boolean, secondsAskedFor = 0) =>
  new AttemptFailed({ message, isPassing, secondsAskedFor })

const passingStatuses = new Set([408, 409, 429])

const reasons: Readonly<Record<number, string>> = {
  400: "rejected the request as invalid",
  401: "rejected the key; check aiProviderApiKey",
  403: "does not allow this call with the key; check aiProviderApiKey",
  404: "does not know the model",
  408: "took too long",
  413: "rejected the request as too large",
  429: "rejects calls for now: too many requests, or the quota is used up"
}

const reasonOf = (status: number) =>
  reasons[status] ?? (status >= 500 ? "has an internal error" : "refused the request")

const fromError = (error: unknown): AttemptFailed => {
  if (error instanceof AnswerTooLarge) return failed("The AI provider's answer is too large: over 1 MiB.", false)
  if (error instanceof APIConnectionError) return failed("The AI provider could not be reached.", true)
  if (error instanceof APIError && error.status !== undefined) {
    const isPassing = error.status >= 500 || passingStatuses.has(error.status)
    const message = `The AI provider ${reasonOf(error.status)} (status ${error.status}).`
    return failed(message, isPassing, retryAfterSeconds(error.headers?.get("retry-after") ?? undefined))
  }
  // For example a response that ends in the middle of its JSON.
  return failed("The AI provider's answer could not be read.", true)
}

const tooSlow = (limit: Duration.Duration, { whenSlow }: Question) =>
  failed(
    [
      `The AI provider did not respond within ${Duration.format(limit)}.`,
      ...(whenSlow === undefined ? [] : [whenSlow])
    ].join(" "),
    whenSlow === undefined
  )

const contentOf = ({ images, user }: Question) => [
  { type: "text" as const, text: user },
  ...images.map(({ bytes, contentType }) => ({
    type: "image_url" as const,
    image_url: { url: `data:${contentType};base64,${Buffer.from(bytes).toString("base64")}` }
  }))
]

const shapeRule = (schema: object) =>
  `\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema)}`

const requestOf = (question: Question): ChatCompletionCreateParamsNonStreaming => {
  const schema = Option.map(question.answerSchema, (root) => ({ ...root }))
  return {
    model: question.model,
    messages: [
      {
        role: "system",
        // Also stated in words, for servers that do not support response_format.
        content: question.system + Option.match(schema, { onNone: () => "", onSome: shapeRule })
      },
      { role: "user", content: question.images.length === 0 ? question.user : contentOf(question) }
    ],
    ...(Option.isSome(schema) && {
      response_format: {
        type: "json_schema",
        json_schema: { name: question.purpose, strict: true, schema: schema.value }
      }
    })
  }
}

/** Asks OpenAI, or a server with a compatible API, using a customer's key. */
export const openAi = (baseUrl: Option.Option<string>, key: Redacted.Redacted, limits: AiLimits["Type"]): Complete => {
  const client = new OpenAI({
    apiKey: Redacted.value(key),
    baseURL: Option.getOrElse(baseUrl, () => "https://api.openai.com/v1"),
    // The operator's account settings in the environment must not mix with a customer's key.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: Duration.toMillis(limits.attempt) + 1000,
    fetch: boundedFetch(longestAnswer),
    logLevel: "off"
  })
  const attempt = (question: Question): Effect.Effect<unknown, AttemptFailed> =>
    Effect.tryPromise({
      try: (signal): Promise<unknown> => client.chat.completions.create(requestOf(question), { signal }),
      catch: fromError
    }).pipe(
      Effect.timeoutFail({
        duration: limits.attempt,
        onTimeout: () => tooSlow(limits.attempt, question)
      })
    )
  return (question) =>
    attempt(question).pipe(
      Effect.retry({
        schedule: retryPauses(
          { first: limits.pause, retries: limits.retries },
          ({ secondsAskedFor }: AttemptFailed) => secondsAskedFor
        ),
        while: ({ isPassing, secondsAskedFor }) =>
          isPassing && secondsAskedFor <= Duration.toSeconds(limits.longestPause)
      }),
      Effect.mapError(({ isPassing, message }) => new CompletionFailed({ message, isFinal: !isPassing })),
      Effect.flatMap(readOpenAiAnswer)
    )
}
