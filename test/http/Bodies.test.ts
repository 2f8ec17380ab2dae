import { randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, login, send, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"
import { openSocket, parseAnswer, readToEnd } from "./RawRequest.ts"

const json = "application/json"

const post = (
  token: string | undefined,
  body: NonNullable<RequestInit["body"]>,
  headers: Record<string, string> = {}
) =>
  send("POST", "/api/Actions", {
    headers: {
      "content-type": json,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers
    },
    body
  })

const bodyOf = (size: number) => {
  const fields = { name: randomUUID(), priority: 1, isActive: true, padding: "" }
  return JSON.stringify({ ...fields, padding: "x".repeat(size - JSON.stringify(fields).length) })
}

const mebibyte = 1024 * 1024

/** Sends a body in chunks, without declaring its length. */
const postChunked = (token: string, body: string, sizeOfChunk: number) =>
  Effect.gen(function* () {
    const socket = yield* openSocket
    socket.write(
      `POST /api/Actions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${json}\r\n` +
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    for (let at = 0; at < body.length; at += sizeOfChunk) {
      const chunk = body.slice(at, at + sizeOfChunk)
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    }
    socket.write("0\r\n\r\n")
    return parseAnswer(yield* readToEnd(socket))
  }).pipe(Effect.scoped)

const expectCreated = ({ status, text }: Answer) => expect([status, text]).toEqual([201, expect.any(String)])

layer(testApp(), { excludeTestServices: true })("Bodies", (it) => {
  it.effect("may have up to 1 MiB when they declare their length", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      expectCreated(yield* post(token, bodyOf(mebibyte)))
      expectError(yield* post(token, bodyOf(mebibyte + 1)), 413, /up to 1 MiB/)
      expectError(yield* post(token, bodyOf(12 * mebibyte)), 413, /up to 1 MiB/)
      expectCreated(yield* post(token, bodyOf(200)))
    })
  )

  it.effect("may have up to 1 MiB when they come in chunks", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      expectCreated(yield* postChunked(token, bodyOf(mebibyte), 65_536))
      expectError(yield* postChunked(token, bodyOf(mebibyte + 1), 65_536), 413, /up to 1 MiB/)
      expectError(yield* postChunked(token, bodyOf(8 * mebibyte), 65_536), 413, /up to 1 MiB/)
      expectCreated(yield* postChunked(token, bodyOf(300), 7))
    })
  )

  it.effect("are refused with 400 when they are not valid JSON", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const text of ["{", "{'name':1}", "name=x", '{"name":"a",}', "nul", "{} {}", '{"a":\u0001}']) {
        expectError(yield* post(token, text), 400, /not valid JSON/)
      }
      for (const text of ["", " ", "\r\n\t"]) expectError(yield* post(token, text), 400, /Send a JSON body/)
      expectError(yield* post(token, Buffer.from([0x7b, 0xff, 0x7d])), 400, /not valid UTF-8/)
    })
  )

  it.effect("may begin with a byte order mark", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      expectCreated(yield* post(token, '\ufeff{"name":"Marked","priority":1,"isActive":true}'))
    })
  )

  it.effect("are refused with 400 when nested too deeply", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
      for (const text of [
        deep("[", "]", 400_000),
        `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`,
        "[".repeat(900_000)
      ]) {
        expectError(yield* post(token, text), 400, /nested too deeply/)
      }
      expectError(yield* post(token, deep("[", "]", 64)), 400, /The body must be/)
      const brackets = `{"name":"Brackets","priority":1,"isActive":true,"description":"${"[{".repeat(200)}\\"["}`
      expectCreated(yield* post(token, brackets))
    })
  )

  it.effect("are refused with 415 when of another type", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = '{"name":"Typed","priority":1,"isActive":true}'
      const wrong = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonx",
        "text/json",
        "json",
        "*/*"
      ]
      for (const type of wrong) {
        expectError(yield* post(token, body, { "content-type": type }), 415, /Send the body as application\/json/)
      }
      expectError(yield* post(token, body, { "content-type": `${json}; charset=utf-16` }), 415, /in UTF-8/)
      for (const encoding of ["gzip", "br", "deflate", "gzip, identity"]) {
        expectError(yield* post(token, gzipSync(body), { "content-encoding": encoding }), 415, /Content-Encoding/)
      }
      const right = ["APPLICATION/JSON", `${json}; charset=utf-8`, `${json};charset="UTF-8"`, "application/vnd.x+json"]
      for (const [index, type] of right.entries()) {
        const typed = `{"name":"Typed ${index}","priority":1,"isActive":true}`
        expectCreated(yield* post(token, typed, { "content-type": type, "content-encoding": "identity" }))
      }
    })
  )

  it.effect("are checked only after the token", () =>
    Effect.gen(function* () {
      for (const token of [undefined, "wrong"]) {
        expectError(yield* post(token, "{", { "content-type": "text/plain" }), 401, /token/)
        expectError(yield* post(token, "{"), 401, /token/)
        expectError(yield* post(token, bodyOf(2 * mebibyte)), 401, /token/)
        expectError(yield* post(token, "{", { "idempotency-key": "" }), 401, /token/)
      }
    })
  )

  it.effect("follow the same rules where no token is needed", () =>
    Effect.gen(function* () {
      const attempt = (body: string, type = json) =>
        send("POST", "/api/Auth/login", { headers: { "content-type": type }, body })
      expectError(yield* attempt("{"), 400, /not valid JSON/)
      expectError(yield* attempt("username=x", "text/plain"), 415, /application\/json/)
      expectError(yield* attempt(bodyOf(mebibyte + 1)), 413, /up to 1 MiB/)
      expectError(yield* attempt('{"username":1}'), 400, /username must be/)
    })
  )

  it.effect("are ignored where none is expected", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answer = yield* send("DELETE", "/api/Actions/999999", {
        headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
        body: "whatever"
      })
      expectError(answer, 404, /no action/)
    })
  )
})
