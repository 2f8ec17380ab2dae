import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"

/** A URL without what must not be logged. */
export const withoutSecrets = (url: string) =>
  url.replace(/([?&](?:access_token|token|channelToken|validationToken)=)[^&]*/gi, "$1redacted")

export const logAccess = (
  request: HttpServerRequest.HttpServerRequest,
  answer: { readonly status: number; readonly requestId: string; readonly durationMs: number; readonly address: string }
) =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      requestId: answer.requestId,
      method: request.method,
      url: withoutSecrets(request.originalUrl),
      status: answer.status,
      durationMs: Math.round(answer.durationMs * 10) / 10,
      address: answer.address
    })
  )
