import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpServerResponse } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Schema, Stream } from "effect"
import { baseUrl, send } from "../support/TestApp.ts"
import { capturedLog } from "./CapturedLog.ts"
import { servedApi } from "./ServedApi.ts"

const api = HttpApi.make("answers").add(
  HttpApiGroup.make("answers")
    .add(HttpApiEndpoint.get("streamed", "/streamed"))
    .add(HttpApiEndpoint.get("broken", "/broken"))
    .add(HttpApiEndpoint.get("short", "/short"))
    .add(HttpApiEndpoint.get("unsendable", "/unsendable"))
    .add(HttpApiEndpoint.get("endless", "/endless"))
    .add(HttpApiEndpoint.get("given up", "/given-up"))
    .add(HttpApiEndpoint.get("plain", "/plain"))
    .add(HttpApiEndpoint.get("long", "/long").setUrlParams(Schema.Struct({ bytes: Schema.NumberFromString })))
)

const happened = Effect.runSync(Queue.unbounded<string>())
const isAnswering = Effect.runSync(Deferred.make<void>())

const note = (what: string) => Queue.offer(happened, what)

const pieces = Stream.make("one ", "two").pipe(
  Stream.tap((piece) => note(`sends ${piece}`)),
  Stream.encodeText
)

/** Letters of one, two, three and four bytes. */
const longText = (bytes: number) => "aé€😀".repeat(Math.floor(bytes / 10)) + "a".repeat(bytes % 10)

const Handlers = HttpApiBuilder.group(api, "answers", (handlers) =>
  handlers
    .handle("streamed", () =>
      Effect.as(
        Effect.addFinalizer(() => note("ends")),
        HttpServerResponse.stream(pieces)
      )
    )
    .handle("broken", () =>
      Effect.succeed(
        HttpServerResponse.stream(Stream.concat(Stream.encodeText(Stream.make("half")), Stream.die("lost")), {
          contentLength: 100
        })
      )
    )
    .handle("short", () =>
      Effect.succeed(HttpServerResponse.stream(Stream.encodeText(Stream.make("half")), { contentLength: 100 }))
    )
    .handle("unsendable", () => Effect.succeed(HttpServerResponse.text("x", { headers: { "x-odd": "a\nb" } })))
    .handle("endless", () =>
      Deferred.succeed(isAnswering, undefined).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => note("interrupted"))
      )
    )
    .handle("given up", () => Effect.interrupt)
    .handle("plain", () => Effect.succeed(HttpServerResponse.text("here")))
    .handle("long", ({ urlParams }) => Effect.succeed(HttpServerResponse.text(longText(urlParams.bytes))))
)

const isThere = Effect.map(send("GET", "/plain"), ({ text }) => expect(text).toBe("here"))

const log = capturedLog()

layer(servedApi(api, Handlers, log.layer), { excludeTestServices: true })("A response", (it) => {
  it.effect("is sent byte for byte as the handler made it, whatever its length", () =>
    Effect.gen(function* () {
      for (const bytes of [1, 10, 32_767, 32_768, 32_769, 100_003]) {
        const { headers, text } = yield* send("GET", `/long?bytes=${bytes}`)
        expect(headers.get("content-length")).toBe(String(bytes))
        expect(text === longText(bytes)).toBe(true)
        expect((yield* send("HEAD", `/long?bytes=${bytes}`)).headers.get("content-length")).toBe(String(bytes))
      }
    })
  )

  it.effect("is streamed to its end before its resources are released", () =>
    Effect.gen(function* () {
      expect((yield* send("GET", "/streamed")).text).toBe("one two")
      const order = [yield* Queue.take(happened), yield* Queue.take(happened), yield* Queue.take(happened)]
      expect(order).toEqual(["sends one ", "sends two", "ends"])
    })
  )

  it.effect("fails for the client when it breaks off, and the log names its request", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      for (const path of ["/broken", "/short"]) {
        log.clear()
        const headers = { "x-request-id": `of${path.replace("/", "-")}` }
        const read = Effect.tryPromise(async () => (await fetch(base + path, { headers })).text())
        yield* Effect.flip(read)
        expect(log.entries()).toContainEqual(
          expect.objectContaining({ logLevel: "WARN", annotations: { requestId: headers["x-request-id"] } })
        )
      }
      yield* isThere
    })
  )

  it.effect("ends at once when its handler is interrupted", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      yield* Effect.flip(Effect.tryPromise(() => fetch(`${base}/given-up`)))
      yield* isThere
    })
  )

  it.effect("becomes a 500 when it cannot be sent, and others are unaffected", () =>
    Effect.gen(function* () {
      expect(yield* send("GET", "/unsendable")).toMatchObject({ status: 500, json: { status: 500 } })
      yield* isThere
    })
  )

  it.effect("is no longer worked on once its client is gone", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const asked = yield* Effect.fork(Effect.tryPromise((signal) => fetch(`${base}/endless`, { signal })))
      yield* Deferred.await(isAnswering)
      yield* Fiber.interrupt(asked)
      expect(yield* Queue.take(happened)).toBe("interrupted")
      yield* isThere
    })
  )
})
