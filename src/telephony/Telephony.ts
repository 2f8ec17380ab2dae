import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Data, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { withoutSecret } from "../platform/outbound/WithoutSecret.ts"
import { confirmClaimNow } from "../platform/queue/JobClaim.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"

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
  /** The provider refused permanently, so that a retry is pointless. */
  readonly refused: boolean
}> {}

const Refusal = Schema.Struct({ message: Schema.String })
const optionalText = Schema.optional(Schema.NullOr(Schema.String))
const State = Schema.Struct({
  status: optionalText,
  error_code: Schema.optional(Schema.NullOr(Schema.Union(Schema.Number, Schema.String))),
  error_message: optionalText
})
const Sent = Schema.Struct({ sid: Schema.String, ...State.fields })
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

/** The provider accepts some messages and reports their failure only in the status. */
const isLost = (status: string | null | undefined) => /^(?:failed|undelivered|canceled)$/i.test(status ?? "")

const hasArrived = (status: string | null | undefined) => /^(?:delivered|read)$/i.test(status ?? "")

/** The state of a message that the provider accepted. */
type TextFate =
  | { readonly _tag: "Arrived" }
  /** The message may still arrive or get lost. */
  | { readonly _tag: "OnItsWay" }
  | { readonly _tag: "Lost"; readonly why: string }

/** How long a call to the phone provider may take. */
export class TelephonyLimits extends Context.Reference<TelephonyLimits>()("casework/TelephonyLimits", {
  defaultValue: () => ({ longestCall: Duration.seconds(8) })
}) {}

// The provider's clock may differ from ours.
const clockDifference = Duration.toMillis("30 seconds")

/** The phone provider's message API. */
export class Telephony extends Context.Tag("casework/Telephony")<
  Telephony,
  {
    /** Returns the provider's id of the message. */
    readonly send: (account: TelephonyAccount, message: TextMessage) => Effect.Effect<string, TelephonyFailed>
    /** The ids of the messages with exactly this text sent to the number since then, the oldest first. */
    readonly findSent: (
      account: TelephonyAccount,
      message: TextMessage,
      since: Date
    ) => Effect.Effect<ReadonlyArray<string>, TelephonyFailed>
    /** Looks up the state of a message by the provider's id. */
    readonly fateOf: (account: TelephonyAccount, sid: string) => Effect.Effect<TextFate, TelephonyFailed>
  }
>() {
  static readonly layer = Layer.effect(
    Telephony,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
}

const failed = (message: string) => Effect.fail(new TelephonyFailed({ message, refused: false }))

const saidTo = ({ accountSID, authToken }: TelephonyAccount, text: string) =>
  withoutSecret(text, authToken, Redacted.make(`${accountSID}:${Redacted.value(authToken)}`))

const fateIn = (account: TelephonyAccount, { error_code, error_message, status }: typeof State.Type): TextFate => {
  if (!isLost(status)) return { _tag: hasArrived(status) ? "Arrived" : "OnItsWay" }
  const said = [status, error_code, error_message].filter((one) => one !== undefined && one !== null).join(" ")
  return { _tag: "Lost", why: saidTo(account, `The phone provider accepted the message but reports ${said}`.trim()) }
}

const make = Effect.gen(function* () {
  const { telephonyBaseUrl } = yield* Settings
  const { longestCall } = yield* TelephonyLimits
  // The client's spans would contain the account and the phone numbers.
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerDisabledWhen(() => true))

  const refusal = (response: HttpClientResponse.HttpClientResponse, account: TelephonyAccount) =>
    HttpClientResponse.schemaBodyJson(Refusal)(response).pipe(
      Effect.orElseSucceed(() => ({ message: "" })),
      Effect.flatMap(({ message }) =>
        Effect.fail(
          new TelephonyFailed({
            message: saidTo(account, `The phone provider returned ${response.status} ${message}`.trim()),
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
        ParseError: () => failed("The phone provider's response could not be read"),
        RequestError: () => failed("The phone provider could not be reached"),
        ResponseError: () => failed("The phone provider's response broke off"),
        TimeoutException: () => failed("The phone provider did not respond in time")
      })
    )

  const messagesOf = ({ accountSID }: TelephonyAccount) =>
    `${telephonyBaseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSID)}/Messages`

  return Telephony.of({
    send: fn("Telephony.send")(function* (account, { body, from, to }) {
      const request = HttpClientRequest.post(`${messagesOf(account)}.json`).pipe(
        HttpClientRequest.bodyUrlParams({ From: from, To: to, Body: body })
      )
      yield* confirmClaimNow
      const { sid, ...state } = yield* call(request, account, Sent)
      const fate = fateIn(account, state)
      return fate._tag === "Lost" ? yield* new TelephonyFailed({ message: fate.why, refused: true }) : sid
    }),
    findSent: fn("Telephony.findSent")(function* (account, { body, from, to }, since) {
      const request = HttpClientRequest.get(`${messagesOf(account)}.json`).pipe(
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
    }),
    fateOf: fn("Telephony.fateOf")(function* (account, sid) {
      const request = HttpClientRequest.get(`${messagesOf(account)}/${encodeURIComponent(sid)}.json`)
      return fateIn(account, yield* call(request, account, State))
    })
  })
})
