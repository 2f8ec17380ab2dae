import { createHash } from "node:crypto"
import { HttpClientRequest } from "@effect/platform"
import { Duration, Effect, Redacted, Schema } from "effect"
import { makeOnceForAll } from "../platform/concurrency/OnceForAll.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { type BoundedAnswer, boundedCall } from "../platform/outbound/BoundedCall.ts"
import { GuardedHttpClient } from "../platform/outbound/Outbound.ts"
import { isAllowed } from "../platform/outbound/OutboundAllow.ts"
import { withoutSecret } from "../platform/outbound/WithoutSecret.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailCredentials, MailProblem } from "./MailGraph.ts"

interface KeptToken {
  readonly token: Redacted.Redacted
  readonly usableUntil: number
}

// A token is not used in its last minutes: it might expire on the way.
const reserve = Duration.toMillis("5 minutes")

const limits = { total: Duration.seconds(15), largestBody: 256 * 1024 }

const Answer = Schema.parseJson(
  Schema.Struct({
    access_token: Schema.NonEmptyString,
    expires_in: Schema.Union(Schema.Number, Schema.NumberFromString)
  })
)

const Refusal = Schema.parseJson(Schema.Struct({ error_description: Schema.String }))

/** A hash, never the secret itself: the key only tells sets of credentials apart. */
const keyOf = ({ authorityURL, clientID, clientSecret, scope, tenantID }: MailCredentials) =>
  createHash("sha256")
    .update(JSON.stringify([authorityURL, tenantID, clientID, Redacted.value(clientSecret), scope]))
    .digest("base64url")

/** Builds the token endpoint; the authority may or may not end in the tenant. */
const tokenUrl = (authorityURL: string, tenantID: string) => {
  const base = authorityURL.replace(/\/+$/, "").replace(/\/oauth2(?:\/v2\.0(?:\/token)?)?$/i, "")
  const tenant = encodeURIComponent(tenantID)
  const endsInTenant = base.toLowerCase().endsWith(`/${tenant.toLowerCase()}`)
  return `${endsInTenant ? base : `${base}/${tenant}`}/oauth2/v2.0/token`
}

/** Tokens for the mail provider: one per set of credentials, kept until shortly before it expires. */
export const makeGraphTokens = Effect.gen(function* () {
  const client = yield* GuardedHttpClient
  const { outboundAllow } = yield* Settings
  const now = yield* steadyClock
  const kept = new Map<string, KeptToken>()
  const onceForAll = yield* makeOnceForAll<Redacted.Redacted, MailProblem>()

  const checkedUrl = ({ authorityURL, tenantID }: MailCredentials) => {
    const url = new URL(tokenUrl(authorityURL, tenantID))
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
    return url.protocol === "https:" || isAllowed(outboundAllow, url.hostname, port)
      ? Effect.succeed(url.href)
      : new MailProblem({ reason: "Blocked", message: `The mail authority ${url.host} must have an https address.` })
  }

  const refusal = ({ body, retryAfterSeconds, status }: BoundedAnswer, { clientSecret }: MailCredentials) =>
    Schema.decodeUnknown(Refusal)(withoutSecret(body, clientSecret)).pipe(
      Effect.map(({ error_description }) => `: ${error_description.split(/\r?\n/)[0]?.slice(0, 300)}`),
      Effect.orElseSucceed(() => ""),
      Effect.flatMap((why) =>
        Effect.fail(
          new MailProblem({
            reason: status === 429 || status >= 500 ? "Unavailable" : "Refused",
            message: `The mail provider refused to issue a token (${status})${why}`,
            ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
          })
        )
      )
    )

  const request = fn("GraphTokens.request")(function* (credentials: MailCredentials) {
    const form = HttpClientRequest.post(yield* checkedUrl(credentials)).pipe(
      HttpClientRequest.bodyUrlParams({
        grant_type: "client_credentials",
        client_id: credentials.clientID,
        client_secret: Redacted.value(credentials.clientSecret),
        scope: credentials.scope
      })
    )
    const said = yield* boundedCall(client, form, limits).pipe(
      Effect.catchTags({
        CallBlocked: ({ message }) => new MailProblem({ reason: "Blocked", message }),
        CallFailed: ({ message }) => new MailProblem({ reason: "Unavailable", message })
      })
    )
    if (said.status !== 200) return yield* refusal(said, credentials)
    const answer = yield* Schema.decodeUnknown(Answer)(said.body).pipe(
      Effect.mapError(
        () => new MailProblem({ reason: "Unavailable", message: "The mail authority's response could not be read" })
      )
    )
    const life = answer.expires_in * 1000
    const usableUntil = now() + Math.max(life - reserve, life / 2)
    return { token: Redacted.make(answer.access_token), usableUntil }
  })

  const find = (key: string) => {
    const known = kept.get(key)
    return known !== undefined && known.usableUntil > now() ? known.token : undefined
  }

  /** Also drops expired tokens: those of replaced credentials are never requested again. */
  const keep = (key: string, fresh: KeptToken) => {
    for (const [other, { usableUntil }] of kept) if (usableUntil <= now()) kept.delete(other)
    kept.set(key, fresh)
  }

  return {
    /** Concurrent callers share one token request and its outcome, even a failure, instead of queueing to repeat it. */
    get: (credentials: MailCredentials) =>
      Effect.suspend(() => {
        const key = keyOf(credentials)
        const known = find(key)
        if (known !== undefined) return Effect.succeed(known)
        const fresh = Effect.tap(request(credentials), (got) => keep(key, got))
        return onceForAll(
          key,
          Effect.map(fresh, ({ token }) => token)
        )
      }),
    /** Drops a token that the provider no longer accepts. */
    forget: (credentials: MailCredentials, token: Redacted.Redacted) =>
      Effect.sync(() => {
        const key = keyOf(credentials)
        if (kept.get(key)?.token === token) kept.delete(key)
      })
  }
})
