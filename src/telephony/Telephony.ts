import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Data, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { beforeItLeaves } from "../platform/JobClaim.ts"
import { Settings } from "../platform/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { withoutSecret } from "../platform/WithoutSecret.ts"

export interface TelephonyAccount {
  readonly accountSID: string
  readonly authToken: Redacted.Redacted
}

export interface TextMessage {
  readonly from: string
  readonly to: string
  readonly body: string
}

export class TelephonyFailed extends Data.TaggedError("TelephonyFailed")<{
  readonly message: string
  /** The provider said no for good. */
  readonly refused: boolean
}> {}

const Refusal = Schema.Struct({ message: Schema.String })
const optionalText = Schema.optional(Schema.NullOr(Schema.String))
const Sent = Schema.Struct({ sid: Schema.String, status: optionalText, error_message: optionalText })
const Listed = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      sid: Schema.String,
      body: Schema.NullOr(Schema.String),
      date_created: Schema.String,
      status: optionalText
    })
  )
})

/** The provider takes some messages only to say that they come to nothing. */
const isLost = (status: string | null | undefined) => /^(?:failed|undelivered|canceled)$/i.test(status ?? "")

/** How long a call of the phone provider may take. */
export class TelephonyLimits extends Context.Reference<TelephonyLimits>()("casework/TelephonyLimits", {
  defaultValue: () => ({ longestCall: Duration.seconds(8) })
}) {}

// The provider's clock is not ours.
const clockDifference = Duration.toMillis("30 seconds")

/** The phone provider's message API. */
export class Telephony extends Context.Tag("casework/Telephony")<
  Telephony,
  {
    /** Answers the provider's id of the message. */
    readonly send: (account: TelephonyAccount, message: TextMessage) => Effect.Effect<string, TelephonyFailed>
    /** The ids of those with this very text that went to that number since then, the oldest first. */
    readonly findSent: (
      account: TelephonyAccount,
      message: TextMessage,
      since: Date
    ) => Effect.Effect<ReadonlyArray<string>, TelephonyFailed>
  }
>() {
  static readonly layer = Layer.effect(
    Telephony,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
}

const failed = (message: string) => Effect.fail(new TelephonyFailed({ message, refused: false }))

const make = Effect.gen(function* () {
  const { telephonyBaseUrl } = yield* Settings
  const { longestCall } = yield* TelephonyLimits
  // Its spans would carry the account and the numbers.
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerDisabledWhen(() => true))

  const refusal = (response: HttpClientResponse.HttpClientResponse, { accountSID, authToken }: TelephonyAccount) =>
    HttpClientResponse.schemaBodyJson(Refusal)(response).pipe(
      Effect.orElseSucceed(() => ({ message: "" })),
      Effect.flatMap(({ message }) =>
        Effect.fail(
          new TelephonyFailed({
            message: withoutSecret(
              `The phone provider answered ${response.status} ${message}`.trim(),
              authToken,
              Redacted.make(`${accountSID}:${Redacted.value(authToken)}`)
            ),
            refused: response.status >= 400 && response.status < 500 && response.status !== 429
          })
        )
      )
    )

  const call = <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    account: TelephonyAccount,
    Answer: Schema.Schema<A, I>
  ): Effect.Effect<A, TelephonyFailed> =>
    Effect.gen(function* () {
      const response = yield* client.execute(
        HttpClientRequest.basicAuth(request, account.accountSID, account.authToken)
      )
      if (response.status < 200 || response.status > 299) return yield* refusal(response, account)
      return yield* HttpClientResponse.schemaBodyJson(Answer)(response)
    }).pipe(
      Effect.timeout(longestCall),
      Effect.catchTags({
        ParseError: () => failed("The phone provider's answer is not understood"),
        RequestError: () => failed("The phone provider cannot be reached"),
        ResponseError: () => failed("The phone provider broke off"),
        TimeoutException: () => failed("The phone provider is too slow")
      })
    )

  const messagesOf = ({ accountSID }: TelephonyAccount) =>
    `${telephonyBaseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSID)}/Messages.json`

  return Telephony.of({
    send: fn("Telephony.send")(function* (account, { body, from, to }) {
      const request = HttpClientRequest.post(messagesOf(account)).pipe(
        HttpClientRequest.bodyUrlParams({ From: from, To: to, Body: body })
      )
      yield* beforeItLeaves
      const { error_message: reason, sid, status } = yield* call(request, account, Sent)
      if (isLost(status)) {
        const message = `The phone provider took the message but says ${status} ${reason ?? ""}`.trim()
        return yield* new TelephonyFailed({ message, refused: true })
      }
      return sid
    }),
    findSent: fn("Telephony.findSent")(function* (account, { body, from, to }, since) {
      const request = HttpClientRequest.get(messagesOf(account)).pipe(
        HttpClientRequest.setUrlParams({ From: from, To: to, PageSize: "100" })
      )
      const { messages } = yield* call(request, account, Listed)
      const earliest = since.getTime() - clockDifference
      const mayBeIt = (message: (typeof messages)[number]) =>
        message.body === body && !isLost(message.status) && !(Date.parse(message.date_created) < earliest)
      // The provider lists the newest first.
      return messages
        .filter(mayBeIt)
        .map(({ sid }) => sid)
        .toReversed()
    })
  })
})
