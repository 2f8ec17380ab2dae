import { HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { boundedCall } from "../../src/platform/outbound/BoundedCall.ts"
import { LookupFailed, NameLookup, type Resolve } from "../../src/platform/outbound/NameLookup.ts"
import { GuardedHttpClient } from "../../src/platform/outbound/Outbound.ts"
import { answering, bomb, flooding, hanging, redirecting, trickling } from "../support/Hostile.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"

// So long that only a call that never ends by itself reaches it.
const limits = { total: Duration.minutes(1), largestBody: 1024 * 1024 }

const short = Duration.millis(1_500)

const call = (request: HttpClientRequest.HttpClientRequest, total = limits.total) =>
  Effect.flatMap(GuardedHttpClient, (client) => boundedCall(client, request, { ...limits, total }))

const get = (url: string) => call(HttpClientRequest.get(url))

/** The same answer by DNS and by the system. */
const resolving = (resolve: Resolve) => Layer.succeed(NameLookup, { dns: resolve, system: resolve })

/** A name server that gives these answers in turn, and then the last one forever. */
const answers = (...addresses: ReadonlyArray<string>) => {
  let asked = 0
  const resolve = () =>
    Effect.sync(() => {
      const address = addresses[Math.min(asked, addresses.length - 1)] ?? ""
      asked += 1
      return [{ address, family: address.includes(":") ? 6 : 4 }]
    })
  return { layer: resolving(resolve), asked: () => asked }
}

const guarded = (outboundAllow: (port: number) => string, names: Layer.Layer<never> | Layer.Layer<NameLookup>) =>
  Layer.unwrapEffect(
    Effect.map(UpstreamServer, ({ port }) =>
      GuardedHttpClient.layer.pipe(
        Layer.provide(names),
        Layer.provide(settingsLayer({ OUTBOUND_ALLOW: outboundAllow(port) }))
      )
    )
  ).pipe(Layer.provideMerge(UpstreamServer.layer))

const withUpstream = <A, E>(
  outboundAllow: (port: number) => string,
  test: Effect.Effect<A, E, GuardedHttpClient | UpstreamServer>,
  names: Layer.Layer<never> | Layer.Layer<NameLookup> = Layer.empty
) => Effect.provide(test, guarded(outboundAllow, names))

const itself = (port: number) => `127.0.0.1:${port}`

const nothingAllowed = () => ""

describe("the outbound guard", () => {
  it.live.each([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "169.254.169.254",
    "[64:ff9b::7f00:1]"
  ])("does not open a socket to %s", (host) =>
    withUpstream(
      nothingAllowed,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        expect(yield* Effect.flip(get(`http://${host}:${upstream.port}/`))).toMatchObject({ _tag: "CallBlocked" })
        expect(yield* upstream.requests).toEqual([])
      })
    )
  )

  it.live("calls the hosts of OUTBOUND_ALLOW, on the listed port only", () =>
    withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", answering(200, "hello", { "content-type": "text/plain" }))
        expect(yield* get(upstream.url)).toEqual({ status: 200, contentType: "text/plain", body: "hello" })
        expect(yield* Effect.flip(get("http://127.0.0.1:1/"))).toMatchObject({ _tag: "CallBlocked" })
      })
    )
  )

  it.live("refuses a name that resolves to a private address", () => {
    const names = answers("127.0.0.1")
    return withUpstream(
      nothingAllowed,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        const error = yield* Effect.flip(get(`http://innocent.example:${upstream.port}/`))
        expect(error).toMatchObject({ _tag: "CallBlocked", message: expect.stringContaining("innocent.example") })
        expect(error.message).not.toContain("127.0.0.1")
        expect(yield* upstream.requests).toEqual([])
      }),
      names.layer
    )
  })

  it.live("refuses a name with one private address among others", () =>
    withUpstream(
      nothingAllowed,
      Effect.gen(function* () {
        const { port } = yield* UpstreamServer
        expect(yield* Effect.flip(get(`http://mixed.example:${port}/`))).toMatchObject({ _tag: "CallBlocked" })
      }),
      resolving(() =>
        Effect.succeed([
          { address: "93.184.215.14", family: 4 },
          { address: "10.0.0.1", family: 4 }
        ])
      )
    )
  )

  it.live("connects to the address that it checked, even if the name changes right after", () => {
    const names = answers("127.0.0.2", "127.0.0.1")
    return withUpstream(
      (port) => `127.0.0.2:${port}`,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        const url = `http://rebinding.example:${upstream.port}/`
        yield* upstream.on("/", answering(200, "first"))
        expect(yield* get(url)).toMatchObject({ body: "first" })
        expect(names.asked()).toBe(1)
        expect(yield* Effect.flip(get(url))).toMatchObject({ _tag: "CallBlocked" })
        expect(names.asked()).toBe(2)
        expect(yield* upstream.requests).toHaveLength(1)
      }),
      names.layer
    )
  })

  it.live("says in plain words why a call failed", () =>
    withUpstream(
      () => "127.0.0.1",
      Effect.gen(function* () {
        expect(yield* Effect.flip(get("http://127.0.0.1:1/?key=secret"))).toMatchObject({
          _tag: "CallFailed",
          message: "127.0.0.1:1 could not be reached: it refuses connections."
        })
      })
    )
  )
})

describe("the limits of a call", () => {
  it.live.each([
    ["hangs", hanging, /did not respond completely within 1s 500ms/, short],
    ["trickles for ever", trickling, /did not respond completely within 1s 500ms/, short],
    ["sends a gigabyte", flooding, /more than 1048576 bytes/, limits.total],
    ["sends a compressed bomb", bomb(), /more than 1048576 bytes/, limits.total],
    [
      "lies about its encoding",
      answering(200, "plain", { "content-encoding": "gzip" }),
      /could not be decompressed/,
      limits.total
    ],
    [
      "uses an unknown encoding",
      answering(200, "plain", { "content-encoding": "zip" }),
      /unsupported encoding/,
      limits.total
    ],
    ["has endless headers", answering(200, "", { long: "x".repeat(40_000) }), /too many headers/, limits.total]
  ] as const)("end it when the other side %s", ([, behaviour, message, total]) =>
    withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", behaviour)
        const error = yield* Effect.flip(call(HttpClientRequest.get(upstream.url), total))
        expect(error).toMatchObject({ _tag: "CallFailed", message: expect.stringMatching(message) })
        yield* upstream.deserted
      })
    )
  )

  it.live("let a response of exactly the largest size through", () =>
    withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", answering(200, "x".repeat(limits.largestBody)))
        expect((yield* get(upstream.url)).body).toHaveLength(limits.largestBody)
        yield* upstream.on("/", answering(200, "x".repeat(limits.largestBody + 1)))
        expect(yield* Effect.flip(get(upstream.url))).toMatchObject({ _tag: "CallFailed" })
      })
    )
  )

  it.live("do not wait for a name server that does not answer", () =>
    withUpstream(
      nothingAllowed,
      Effect.gen(function* () {
        const error = yield* Effect.flip(call(HttpClientRequest.get("http://slow.example/"), Duration.millis(200)))
        expect(error).toMatchObject({ _tag: "CallFailed" })
      }),
      resolving(() => Effect.never)
    )
  )

  it.live("keep slow names, however many, from holding up calls to others, and share their lookups", () => {
    const asked: Array<string> = []
    const resolve: Resolve = (hostname) => {
      asked.push(hostname)
      return hostname.startsWith("slow") ? Effect.never : Effect.succeed([{ address: "127.0.0.1", family: 4 }])
    }
    return withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", answering(200, "there"))
        const slow = (name: string) =>
          Effect.flip(call(HttpClientRequest.get(`http://${name}:${upstream.port}/`), Duration.millis(200)))
        const names = Array.from({ length: 30 }, (_, index) => `slow${index}.example`)
        yield* Effect.forEach([...names, ...names], slow, { concurrency: "unbounded" })
        yield* slow("slow0.example")
        expect(yield* get(`http://fast.example:${upstream.port}/`)).toMatchObject({ body: "there" })
        expect(asked).toEqual([...names, "fast.example"])
      }),
      resolving(resolve)
    )
  })

  it.live("ask the system only for local names, two at a time, and for names that DNS does not know", () => {
    const asked: Array<string> = []
    const known = Effect.succeed([{ address: "127.0.0.1", family: 4 }])
    const names = {
      dns: (hostname: string) =>
        hostname === "public.example" ? known : Effect.fail(new LookupFailed({ code: "ENOTFOUND" })),
      system: (hostname: string) => {
        asked.push(hostname)
        return hostname.startsWith("slow") ? Effect.never : known
      }
    }
    return withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", answering(200, "there"))
        const at = (name: string) => `http://${name}:${upstream.port}/`
        expect(yield* get(at("in-the-hosts-file.example"))).toMatchObject({ body: "there" })
        const slow = (name: string) => Effect.flip(call(HttpClientRequest.get(at(name)), Duration.millis(200)))
        yield* Effect.forEach(["slow0", "slow1", "slow2"], slow, { concurrency: "unbounded" })
        expect(asked).toEqual(["in-the-hosts-file.example", "slow0", "slow1"])
        expect(yield* get(at("public.example"))).toMatchObject({ body: "there" })
      }),
      Layer.succeed(NameLookup, names)
    )
  })
})

describe("redirects", () => {
  it.live("are followed on the same host and port, five times at most", () =>
    withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        for (let hop = 1; hop <= 5; hop++) yield* upstream.on(`/${hop}`, redirecting(`/${hop + 1}?x=1`, 307))
        yield* upstream.on("/6", answering(200, "there"))
        const request = HttpClientRequest.post(`${upstream.url}/1`).pipe(
          HttpClientRequest.bodyText("payload", "text/plain"),
          HttpClientRequest.bearerToken("secret")
        )
        expect(yield* call(request)).toMatchObject({ status: 200, body: "there" })
        const seen = yield* upstream.requests
        expect(seen.map(({ body, headers, method }) => [method, body, headers.authorization])).toEqual(
          Array.from({ length: 6 }, () => ["POST", "payload", "Bearer secret"])
        )
        yield* upstream.on("/6", redirecting("/7"))
        expect(yield* Effect.flip(get(`${upstream.url}/1`))).toMatchObject({
          message: expect.stringContaining("more than 5 times")
        })
      })
    )
  )

  it.live("turn a POST into a GET, as browsers do", () =>
    withUpstream(
      itself,
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/form", redirecting("/done", 303))
        yield* upstream.on("/done", answering(200, "done"))
        yield* call(HttpClientRequest.bodyText(HttpClientRequest.post(`${upstream.url}/form`), "a=1", "text/plain"))
        expect((yield* upstream.requests).at(-1)).toMatchObject({ method: "GET", body: "" })
      })
    )
  )

  it.live.each([
    (port: number) => `http://localhost:${port}/target`,
    (port: number) => `http://127.0.0.2:${port}/target`,
    () => "http://127.0.0.1:1/target",
    (port: number) => `http://user:pass@127.0.0.1:${port}/target`,
    () => "file:///etc/passwd"
  ])("are not followed anywhere else (%#)", (location) =>
    withUpstream(
      () => "127.0.0.1,127.0.0.2,localhost",
      Effect.gen(function* () {
        const upstream = yield* UpstreamServer
        yield* upstream.on("/", redirecting(location(upstream.port)))
        expect(yield* Effect.flip(get(upstream.url))).toMatchObject({
          _tag: "CallFailed",
          message: expect.stringContaining("which is not followed")
        })
        expect(yield* upstream.requests).toHaveLength(1)
      })
    )
  )
})
