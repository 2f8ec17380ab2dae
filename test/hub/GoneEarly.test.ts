import { randomBytes } from "node:crypto"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { openSocket } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { quietApp, send } from "../support/TestApp.ts"
import { channelTokenOf } from "./HubTools.ts"
import { rawHub } from "./RawHub.ts"

const here = ["Origin: https://acme.example", "X-Forwarded-For: 192.0.2.1"]

const asVisitor = Effect.map(channelTokenOf("Acme"), (token) => `?channelToken=${token}`)

/** Asks for a connection and goes away after so many turns of the event loop, with a reset or a plain close. */
const goAway = (query: string, turns: number, isRude: boolean) =>
  Effect.gen(function* () {
    const socket = yield* openSocket
    const key = randomBytes(16).toString("base64")
    const lines = ["Host: x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", ...here]
    socket.write(`GET /chatHub${query} HTTP/1.1\r\n${lines.join("\r\n")}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`)
    for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
    if (isRude) socket.resetAndDestroy()
    else socket.destroy()
  }).pipe(Effect.scoped)

const goAwayOften = Effect.gen(function* () {
  const query = yield* asVisitor
  for (let time = 0; time < 200; time++) yield* goAway(query, time % 20, time % 3 > 0)
  for (let time = 0; time < 40; time++) yield* goAway("", time % 10, true)
})

/** The WebSocket library answers this request itself, and never returns from that. */
const askForNoProtocol = Effect.flatMap(asVisitor, (query) =>
  Effect.map(rawHub(query, [...here, "Sec-WebSocket-Protocol:"]), ({ answer }) => answer)
)

layer(quietApp({ HUB_LIMIT_ADDRESS: "3" }), { excludeTestServices: true })("A client gone while connecting", (it) => {
  it.scoped("does no harm to others, and frees its place", () =>
    Effect.gen(function* () {
      yield* goAwayOften
      for (let time = 0; time < 5; time++) expect(yield* askForNoProtocol).toMatch(/^HTTP\/1\.1 400 /)
      expect((yield* send("GET", "/health/live")).status).toBe(200)
      const query = yield* asVisitor
      for (let place = 0; place < 3; place++) {
        yield* eventually(rawHub(query, here), ({ answer }) => answer.startsWith("HTTP/1.1 101 "))
      }
    })
  )
})

it.live("A node can stop after clients went away while connecting", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const app = yield* Layer.buildWithScope(quietApp(), scope)
    yield* Effect.scoped(Effect.zipRight(goAwayOften, askForNoProtocol)).pipe(Effect.provide(app))
    const stopping = yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
    expect(yield* Fiber.await(stopping).pipe(Effect.timeout("30 seconds"))).toEqual(Exit.void)
  })
)
