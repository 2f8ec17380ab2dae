import { Context, Deferred, Duration, Effect, Layer, Schema } from "effect"
import { AiLimits } from "../../src/ai/AiLimits.ts"
import { AiServices } from "../../src/ai/AiServices.ts"
import { answering } from "./Hostile.ts"
import { clientOf, quietApp } from "./TestApp.ts"
import { type Behaviour, UpstreamServer } from "./UpstreamServer.ts"

const Asked = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.Unknown })),
  response_format: Schema.optional(Schema.Unknown)
})

const decodeAsked = Schema.decodeUnknownSync(Schema.parseJson(Asked))

const path = "/v1/chat/completions"

const json = { "content-type": "application/json" }

const body = (value: unknown) => answering(200, JSON.stringify(value), json)

/** Responds in the shape of chat completions. */
export const saying = (text: string): Behaviour =>
  body({
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 }
  })

/** The same, but only once it is allowed to. */
export const sayingLate = (text: string) =>
  Effect.map(Deferred.make<void>(), (gate) => {
    const behaviour: Behaviour = (request, response) =>
      Effect.runFork(Effect.map(Deferred.await(gate), () => saying(text)(request, response)))
    return { behaviour, goOn: Deferred.succeed(gate, undefined) }
  })

/** The same with the text in parts, as some servers do. */
export const sayingInParts = (...texts: ReadonlyArray<string>): Behaviour =>
  body({ choices: [{ message: { content: texts.map((text) => ({ type: "text", text })) } }] })

/** Responds in the shape of the Responses API. */
export const respondingWith = (text: string): Behaviour =>
  body({
    id: "r1",
    object: "response",
    output: [
      { type: "reasoning", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text }] }
    ],
    usage: { input_tokens: 90, output_tokens: 5 }
  })

export const failingWith = (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  answering(status, JSON.stringify({ error: { message: "sk-secret-in-the-message", type: "x" } }), {
    ...json,
    ...headers
  })

/** The response breaks off in the middle. */
export const breakingOff: Behaviour = answering(200, '{"choices":[{"message":{"content":"half', json)

export const shapeless: Behaviour = body({ hello: "world" })

/** Responds with the given choice and usage. */
export const choosing = (
  message: { readonly content: string | null; readonly refusal?: string },
  finishReason: string,
  usage: unknown = { prompt_tokens: 500, completion_tokens: 9 }
): Behaviour => body({ choices: [{ index: 0, message, finish_reason: finishReason }], usage })

/** Responds in the shape of the Responses API, but incompletely. */
export const respondingInPart = (part: Readonly<Record<string, string>>, reason?: string): Behaviour =>
  body({
    object: "response",
    ...(reason !== undefined && { status: "incomplete", incomplete_details: { reason } }),
    output: [{ type: "message", role: "assistant", content: [part] }],
    usage: { input_tokens: 500, output_tokens: 9 }
  })

/** A server on this machine that speaks OpenAI's protocol. */
export class OpenAiServer extends Context.Tag("test/OpenAiServer")<
  OpenAiServer,
  {
    readonly url: string
    /** Sets its behaviours from now on: one per request, the last one forever. Forgets the requests so far. */
    readonly does: (...behaviours: readonly [Behaviour, ...ReadonlyArray<Behaviour>]) => Effect.Effect<void>
    readonly asked: Effect.Effect<ReadonlyArray<typeof Asked.Type & { readonly authorization: string | undefined }>>
    /** Waits until no client is connected any more. */
    readonly deserted: Effect.Effect<void, string>
  }
>() {
  static readonly layer = Layer.effect(
    OpenAiServer,
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      let forgotten = 0
      return OpenAiServer.of({
        url: `${upstream.url}/v1`,
        does: (first, ...others) =>
          Effect.gen(function* () {
            forgotten = (yield* upstream.requests).length
            let behaviours = [first, ...others]
            yield* upstream.on(path, (request, response) => {
              const [now = first, ...later] = behaviours
              if (later.length > 0) behaviours = later
              return now(request, response)
            })
          }),
        asked: Effect.map(upstream.requests, (requests) =>
          requests
            .slice(forgotten)
            .filter(({ url }) => url === path)
            .map((request) => ({ ...decodeAsked(request.body), authorization: request.headers.authorization }))
        ),
        deserted: upstream.deserted
      })
    })
  ).pipe(Layer.provideMerge(UpstreamServer.layer))
}

/** Sets or clears the key with which Acme calls its models. */
export const setKey = (aiProviderApiKey: string | null) =>
  Effect.flatMap(clientOf("acme-admin"), ({ customers }) => customers.updateCustomer({ payload: { aiProviderApiKey } }))

export const withKey = setKey("sk-of-acme")

/** As many retries as a test can wait for, and more time for each attempt than the slowest machine needs. */
const patientLimits = {
  attempt: Duration.seconds(20),
  total: Duration.seconds(50),
  retries: 2,
  pause: Duration.millis(10),
  longestPause: Duration.seconds(5),
  atOnce: 2
}

/** The service and its AI services next to such a server, from which it may also retrieve data. */
export const openAiApp = (
  forThoseWithoutKey: "openai" | "sandbox" = "openai",
  app = quietApp,
  limits: Partial<typeof patientLimits> = {}
) =>
  Layer.unwrapEffect(
    Effect.map(Effect.all([OpenAiServer, UpstreamServer]), ([{ url }, { port }]) =>
      app({ AI_PROVIDER: forThoseWithoutKey, OPENAI_BASE_URL: url, OUTBOUND_ALLOW: `127.0.0.1:${port}` })
    )
  ).pipe(
    Layer.provideMerge(OpenAiServer.layer),
    (service) => AiServices.pipe(Layer.provideMerge(service)),
    Layer.provide(Layer.succeed(AiLimits, { ...patientLimits, ...limits }))
  )
