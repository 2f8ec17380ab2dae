import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { Deadlines } from "../../src/platform/http/Deadlines.ts"
import { login, send, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"
import { openSocket, parseAnswer, readToEnd, sendRaw } from "./RawRequest.ts"

const request = (line: string, ...headers: ReadonlyArray<string>) =>
  `${[line, "Host: x", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`

const stillUp = Effect.map(send("GET", "/health/ready"), ({ status }) => expect(status).toBe(200))

layer(testApp(), { excludeTestServices: true })("Broken requests", (it) => {
  it.effect("are refused with 400 when they are not HTTP", () =>
    Effect.gen(function* () {
      const garbage = [
        "hello\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001",
        "GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n",
        "get /health/live HTTP/1.1\r\nHost: x\r\n\r\n",
        "BREW /health/live HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /he alth HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nA: b\u0000c\r\n\r\n"
      ]
      for (const text of garbage) expectError(yield* sendRaw(text), 400, /not a valid HTTP request/)
      yield* stillUp
    })
  )

  it.effect("are refused with 400 when they try to smuggle in a second request", () =>
    Effect.gen(function* () {
      const line = "POST /api/Auth/login HTTP/1.1"
      const tricks = [
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked, identity"],
        ["Transfer-Encoding: xchunked"],
        ["Content-Length: -1"],
        ["Content-Length: 1e1"]
      ]
      for (const headers of tricks) {
        const answer = yield* sendRaw(`${request(line, ...headers)}0\r\n\r\nGET /health/live HTTP/1.1\r\n\r\n`)
        expectError(answer, 400, /not a valid HTTP request/)
      }
      yield* stillUp
    })
  )

  it.effect("are refused with 431 when the URL or the headers are too large", () =>
    Effect.gen(function* () {
      const large = "x".repeat(20_000)
      expectError(yield* sendRaw(request("GET /health/live HTTP/1.1", `X-Large: ${large}`)), 431, /16 KiB/)
      expectError(yield* sendRaw(request(`GET /${large} HTTP/1.1`)), 431, /16 KiB/)
      const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: y`)
      expectError(yield* sendRaw(request("GET /health/live HTTP/1.1", ...many)), 431, /16 KiB/)
      yield* stillUp
    })
  )

  it.effect("are refused with 417 when they expect anything but 100-continue", () =>
    Effect.gen(function* () {
      expectError(yield* sendRaw(request("GET /health/live HTTP/1.1", "Expect: miracles")), 417, /100-continue/)
    })
  )

  it.effect("are refused with 400 without a Host header, except in HTTP/1.0", () =>
    Effect.gen(function* () {
      expectError(yield* sendRaw("GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n"), 400, /Send a Host header/)
      expect((yield* sendRaw("GET /health/live HTTP/1.0\r\n\r\n")).status).toBe(200)
    })
  )

  it.effect("may carry an absolute URL, as proxies send it", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* sendRaw(
        request("GET http://casework.example/API/actions/1 HTTP/1.1", `Authorization: Bearer ${token}`)
      )
      expect(answer.status).toBe(200)
      expectError(yield* sendRaw(request("OPTIONS * HTTP/1.1")), 405, /OPTIONS/)
    })
  )

  it.effect("do no harm when they break off in the middle of the body", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const socket = yield* openSocket
        socket.write(`${request("POST /api/Auth/login HTTP/1.1", "Content-Length: 50")}{"user`)
        socket.destroy()
      }
      yield* stillUp
    }).pipe(Effect.scoped)
  )

  it.effect("are refused with 400 when a chunk is malformed", () =>
    Effect.gen(function* () {
      const socket = yield* openSocket
      socket.write(`${request("POST /api/Auth/login HTTP/1.1", "Transfer-Encoding: chunked")}zz\r\n`)
      expectError(parseAnswer(yield* readToEnd(socket)), 400, /not a valid HTTP request/)
    }).pipe(Effect.scoped)
  )

  it.effect("are answered over HTTP/1.1 when they offer another protocol", () =>
    Effect.gen(function* () {
      const body = '{"username":"acme-admin","password":"Demo-Pass-1","hostname":"localhost"}'
      const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
      const offers = [
        ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"],
        ["Upgrade: websocket", "Sec-WebSocket-Version: 13", key]
      ]
      for (const offer of offers) {
        const offering = (line: string, ...headers: ReadonlyArray<string>) =>
          request(line, ...offer, ...headers).replace("close", "Upgrade, HTTP2-Settings, close")
        expect((yield* sendRaw(offering("GET /health/live HTTP/1.1"))).status).toBe(200)
        // More than the buffers of a socket can hold.
        const docs = yield* sendRaw(offering("GET /openapi.json HTTP/1.1"))
        expect([docs.status, docs.text]).toEqual([200, (yield* send("GET", "/openapi.json")).text])
        const post = offering("POST /api/Auth/login HTTP/1.1", `Content-Length: ${body.length}`)
        const answer = yield* sendRaw(post + body)
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("token")])
      }
    })
  )
})

// Short enough to wait for, yet long enough for anything sent at once to arrive even on a slow machine.
const impatient = Layer.succeed(Deadlines, {
  headers: 1_000,
  request: 1_500,
  check: 50,
  idle: 5_000,
  stalled: 2_500,
  sending: 60_000,
  stop: 5_000
})

layer(testApp().pipe(Layer.provide(impatient)), { excludeTestServices: true })("Slow requests", (it) => {
  it.effect("are refused with 408 when headers or body do not arrive in time", () =>
    Effect.gen(function* () {
      const slow = [
        "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Half: ",
        `${request("POST /api/Auth/login HTTP/1.1", "Content-Length: 50")}{`
      ]
      for (const text of slow) expectError(yield* sendRaw(text), 408, /did not arrive in time/)
    })
  )

  it.effect("gain no time by sending a byte now and then", () =>
    Effect.gen(function* () {
      const socket = yield* openSocket
      const trickle = setInterval(() => socket.write("x"), 50)
      socket.once("close", () => clearInterval(trickle))
      socket.write(request("POST /api/Auth/login HTTP/1.1", "Content-Length: 5000"))
      expectError(parseAnswer(yield* readToEnd(socket)), 408, /did not arrive in time/)
    }).pipe(Effect.scoped)
  )

  it.effect("are cut off when the client never reads, or closes half of the connection", () =>
    Effect.gen(function* () {
      const deaf = yield* openSocket
      deaf.pause()
      // More than the buffers in between can hold.
      for (let count = 0; count < 40; count++) deaf.write("GET /docs HTTP/1.1\r\nHost: x\r\n\r\n")
      const halfOpen = yield* openSocket
      halfOpen.end("GET /health/live HTTP/1.1\r\nHost: x\r\nX-Half: ")
      expect(yield* readToEnd(halfOpen)).not.toContain("200 OK")
      // An unread socket notices its end only by writing; it writes too rarely to extend the deadline.
      yield* Effect.sync(() => deaf.write("x")).pipe(
        Effect.repeat({ until: () => deaf.destroyed, schedule: Schedule.spaced("4 seconds") }),
        Effect.timeout("2 minutes")
      )
      expect((yield* send("GET", "/health/live")).status).toBe(200)
    }).pipe(Effect.scoped)
  )

  it.effect("are closed silently when nothing arrives at all", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flatMap(openSocket, readToEnd)).toBe("")
    }).pipe(Effect.scoped)
  )
})
