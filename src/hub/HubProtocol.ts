import { Either, Option, Predicate, Schema } from "effect"
import { recordSeparator } from "./RecordFraming.ts"

const Handshake = Schema.parseJson(Schema.Struct({ protocol: Schema.String, version: Schema.Int }))

const Call = Schema.Struct({
  type: Schema.Literal(1, 4),
  target: Schema.String,
  arguments: Schema.optionalWith(Schema.Array(Schema.Unknown), { nullable: true, default: () => [] }),
  invocationId: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
})

export interface Invocation {
  readonly target: string
  readonly arguments: ReadonlyArray<unknown>
  /** null when the client expects no response. */
  readonly invocationId: string | null
  /** Whether the client asks for a stream, which no method here returns. */
  readonly wantsStream: boolean
}

type Received =
  | { readonly _tag: "Invocation"; readonly invocation: Invocation }
  | { readonly _tag: "Close" }
  | { readonly _tag: "Nothing" }

const decodeHandshake = Schema.decodeUnknownEither(Handshake)
const decodeCall = Schema.decodeUnknownEither(Call)
const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Left: why the client cannot be served, in a text that it shows. */
export const readHandshake = (record: string): Either.Either<void, string> =>
  Either.flatMap(
    Either.mapLeft(decodeHandshake(record), () => "The connection must begin with a handshake request."),
    ({ protocol, version }) => {
      if (protocol !== "json") return Either.left(`The protocol '${protocol.slice(0, 50)}' is not supported. Use json.`)
      return version === 1 ? Either.void : Either.left(`Version ${version} of the protocol is not supported. Use 1.`)
    }
  )

const notUnderstood = Either.left("A message is not valid in the hub protocol.")

const readCall = (message: unknown): Either.Either<Received, string> =>
  Either.match(decodeCall(message), {
    onLeft: () => notUnderstood,
    onRight: ({ arguments: given, invocationId, target, type }) => {
      const invocation = { target, arguments: given, invocationId, wantsStream: type === 4 }
      return Either.right({ _tag: "Invocation", invocation })
    }
  })

/** Left if it is not a message of the protocol. Messages of unknown types are ignored. */
export const readMessage = (text: string): Either.Either<Received, string> => {
  const message = Option.getOrUndefined(parse(text))
  if (!Predicate.hasProperty(message, "type") || !Number.isInteger(message.type)) return notUnderstood
  if (message.type === 1 || message.type === 4) return readCall(message)
  return Either.right({ _tag: message.type === 7 ? "Close" : "Nothing" })
}

const record = (json: string) => json + recordSeparator

export const handshakeAccepted = record("{}")
export const handshakeRefused = (reason: string) => record(JSON.stringify({ error: reason }))
export const ping = record('{"type":6}')

/** Calls a function of the client; the argument is already JSON. */
export const invocationOf = (target: string, argument: string) =>
  record(`{"type":1,"target":"${target}","arguments":[${argument}]}`)

/** The response to an invocation; the result is already JSON, or absent. */
export const completionOf = (invocationId: string, result: string | undefined) =>
  record(
    `{"type":3,"invocationId":${JSON.stringify(invocationId)}${result === undefined ? "" : `,"result":${result}`}}`
  )

export const failureOf = (invocationId: string, reason: string) =>
  record(JSON.stringify({ type: 3, invocationId, error: reason }))

export const goodbye = (options: { readonly error?: string; readonly allowReconnect?: boolean }) =>
  record(JSON.stringify({ type: 7, ...options }))
