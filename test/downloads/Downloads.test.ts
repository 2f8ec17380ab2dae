import { readdir, readlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Deadlines } from "../../src/platform/http/Deadlines.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
import { aMessage } from "../files/Messages.ts"
import { samples } from "../files/Samples.ts"
import { formWith, inFolder, tokenIn, upload } from "../files/Uploads.ts"
import { expectError } from "../http/ErrorBody.ts"
import { openSocket } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { s3Server } from "../support/S3Server.ts"
import { headerOf, send, testApp } from "../support/TestApp.ts"

const stored = (bytes: Uint8Array | string, name: string, type?: string) =>
  Effect.gen(function* () {
    const { messageID } = yield* aMessage(1)
    return `/api/File/${tokenIn(yield* upload(messageID, formWith(bytes, name, type)))}`
  })

const digits = "0123456789".repeat(60_000)

layer(testApp(), { excludeTestServices: true })("A file", (it) => {
  it.effect("is sent inline only when it can run no script", () =>
    Effect.gen(function* () {
      const cases = [
        [samples.png, "a.png", "image/png", "inline"],
        [samples.pdf, "a.pdf", "application/pdf", "inline"],
        ["text", "a.txt", "text/plain; charset=utf-8", "inline"],
        ["<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "a.svg", "image/svg+xml", "attachment"],
        ["<script>alert(1)</script>", "a.html", "text/html; charset=utf-8", "attachment"],
        ["<?xml version='1.0'?><a/>", "a.xml", "application/xml", "attachment"],
        ["a,b", "a.csv", "text/csv; charset=utf-8", "attachment"],
        ["From: a@b.example\r\n\r\nhi", "a.eml", "message/rfc822", "attachment"],
        [samples.zip, "a.zip", "application/zip", "attachment"],
        [samples.mp4, "a.mp4", "video/mp4", "attachment"]
      ] as const
      for (const [bytes, name, type, disposition] of cases) {
        const { headers, status } = yield* send("GET", yield* stored(bytes, name))
        expect(status).toBe(200)
        expect([name, headers.get("content-type")]).toEqual([name, type])
        expect(headers.get("content-disposition")).toBe(`${disposition}; filename="${name}"`)
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("content-security-policy")).toMatch(/default-src 'none';.*\bsandbox$/)
        expect(headers.get("cache-control")).toMatch(/^private,/)
        expect(headers.get("set-cookie")).toBeNull()
      }
    })
  )

  it.effect("names UTF-8 as the encoding of its text only when it has that one", () =>
    Effect.gen(function* () {
      const utf8 = "text/plain; charset=utf-8"
      const long = "é".repeat(200_000)
      const cases: ReadonlyArray<readonly [name: string, bytes: Uint8Array, type: string]> = [
        ["utf8.txt", Buffer.from("Größe: 5 €"), utf8],
        ["marked.txt", Buffer.from("\ufeffGröße"), utf8],
        ["cut-between-bytes.txt", Buffer.from(`x${long}`), utf8],
        ["latin1.txt", Buffer.from("Größe: 5 m", "latin1"), "text/plain"],
        ["ends-early.txt", Buffer.from("Größe").subarray(0, 3), "text/plain"],
        ["utf16.txt", Buffer.from("\ufeffGröße", "utf16le"), "text/plain"],
        ["late.csv", Buffer.from(`${"a;".repeat(5000)}ü`, "latin1"), "text/csv"],
        ["long.txt", Buffer.from(long, "latin1"), "text/plain"]
      ]
      for (const [name, bytes, type] of cases) {
        const { messageID } = yield* aMessage(1)
        const answer = yield* upload(messageID, formWith(bytes, name))
        expect(answer.json, "the type alone").toMatchObject({ contentType: type.split(";")[0] })
        const path = `/api/File/${tokenIn(answer)}`
        const whole = yield* send("GET", path)
        expect([name, whole.headers.get("content-type")]).toEqual([name, type])
        expect(whole.headers.get("content-length")).toBe(String(bytes.length))
        const part = yield* send("GET", path, { headers: { range: "bytes=1-2" } })
        expect([part.status, part.headers.get("content-type")]).toEqual([206, type])
        expect(part.text).toBe(new TextDecoder().decode(bytes.subarray(1, 3)))
      }
    })
  )

  it.effect("is 404 under an unknown or malformed token", () =>
    Effect.gen(function* () {
      for (const token of ["00000000-0000-4000-8000-000000000000", "1", "x".repeat(300), "%00", "..%2f..%2fetc", "'"]) {
        expectError(yield* send("GET", `/api/File/${token}`), 404, /no such file/i)
      }
      const path = yield* stored("text", "a.txt")
      expect((yield* send("GET", path.toUpperCase().replace("/API/FILE", "/api/file"))).status).toBe(200)
    })
  )
})

/** The two ways that bytes are read: from the database, and from a folder. */
for (const [store, app] of Object.entries({ database: testApp(), folder: inFolder })) {
  layer(app, { excludeTestServices: true })(`A file in the ${store}`, (it) => {
    it.effect("comes as it was sent, whole and in ranges", () =>
      Effect.gen(function* () {
        const path = yield* stored(digits, "digits.txt")
        const whole = yield* send("GET", path)
        expect(whole.text === digits).toBe(true)
        expect(whole.headers.get("content-length")).toBe("600000")
        expect(whole.headers.get("accept-ranges")).toBe("bytes")
        const ranged = (range: string, more: Readonly<Record<string, string>> = {}) =>
          send("GET", path, { headers: { range, ...more } })
        for (const [range, start, end] of [
          ["bytes=0-9", 0, 9],
          ["bytes=262143-262145", 262_143, 262_145],
          ["bytes=599995-", 599_995, 599_999],
          ["bytes=-7", 599_993, 599_999],
          ["bytes=5-9999999", 5, 599_999]
        ] as const) {
          const { headers, status, text } = yield* ranged(range)
          expect([range, status, headers.get("content-range")]).toEqual([range, 206, `bytes ${start}-${end}/600000`])
          expect(headers.get("content-length")).toBe(String(end - start + 1))
          expect(text === digits.slice(start, end + 1)).toBe(true)
        }
        const outside = yield* ranged("bytes=600000-")
        expectError(outside, 416, /600000 bytes/)
        expect(outside.headers.get("content-range")).toBe("bytes */600000")
        for (const range of ["bytes=0-1,5-6", "lines=0-1", "bytes=9-2"]) expect((yield* ranged(range)).status).toBe(200)

        const etag = headerOf(whole, "etag")
        expect((yield* ranged("bytes=0-1", { "if-range": etag })).status).toBe(206)
        expect((yield* ranged("bytes=0-1", { "if-range": '"other"' })).status).toBe(200)
        const known = yield* send("GET", path, { headers: { "if-none-match": `"x", W/${etag}` } })
        expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", etag])
        expect((yield* send("GET", path, { headers: { "if-none-match": '"x"' } })).status).toBe(200)

        const head = yield* send("HEAD", path, { headers: { range: "bytes=0-1" } })
        expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "600000"])
      })
    )

    it.effect("is still sent to others after readers have gone away in the middle", () =>
      Effect.gen(function* () {
        const path = yield* stored(Buffer.alloc(8_000_000, "0123456789"), "long.txt")
        for (let round = 0; round < 5; round++) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const socket = yield* openSocket
              socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
              yield* Effect.async<void>((resume) => void socket.once("data", () => resume(Effect.void)))
            })
          )
        }
        expect((yield* send("GET", path)).text.length).toBe(8_000_000)
      })
    )
  })
}

const openFiles = (name: string) =>
  Effect.promise(async () => {
    const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""))
    return (await Promise.all(links)).filter((path) => path.startsWith(name)).length
  })

/** More than the buffers on the way hold. */
const veryLong = Buffer.alloc(24_000_000, "0123456789")

/** Asks for the headers of a file only, and then goes away in the middle of a download. */
const halfWanted = (path: string) =>
  Effect.gen(function* () {
    expect((yield* send("HEAD", path)).status).toBe(200)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const socket = yield* openSocket
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        yield* Effect.async<void>((resume) => void socket.once("data", () => resume(Effect.void)))
      })
    )
  })

layer(inFolder, { excludeTestServices: true })("A large file in a folder", (it) => {
  it.effect("is closed again when only its headers are read, or its reader goes away", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* Settings
      yield* halfWanted(yield* stored(veryLong, "long.txt"))
      yield* eventually(openFiles(join(dataDir, "files")), (count) => count === 0)
    })
  )

  it.effect("is closed again when its turn on a connection never comes", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* Settings
      const path = yield* stored(veryLong, "long.txt")
      const open = openFiles(join(dataDir, "files"))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const socket = yield* openSocket
          socket.pause()
          // The second and the third wait behind the first, which nobody reads.
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3))
          yield* eventually(open, (count) => count === 3)
        })
      )
      yield* eventually(open, (count) => count === 0)
    })
  )

  it.scoped("arrives unchanged when its reader pauses in the middle, whatever others read meanwhile", () =>
    Effect.gen(function* () {
      const filledWith = (letter: string) => stored(Buffer.alloc(veryLong.length, letter), `${letter}.txt`)
      const slow = [yield* filledWith("a"), yield* filledWith("b"), yield* filledWith("c")]
      const quick = yield* filledWith("d")
      const readers = yield* Effect.forEach(slow, (path) =>
        Effect.gen(function* () {
          const socket = yield* openSocket
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
          const first = yield* Effect.async<Buffer>((resume) => {
            socket.once("data", (bytes) => {
              socket.pause()
              resume(Effect.succeed(bytes))
            })
          })
          return { first, socket }
        })
      )
      for (let round = 0; round < 3; round++) {
        expect(/^d+$/.test((yield* send("GET", quick)).text)).toBe(true)
      }
      for (const [index, { first, socket }] of readers.entries()) {
        const rest = yield* Effect.promise(() => socket.toArray())
        const answer = Buffer.concat([first, ...rest])
        const body = answer.subarray(answer.indexOf("\r\n\r\n") + 4)
        expect(body.equals(Buffer.alloc(veryLong.length, "abc"[index]))).toBe(true)
      }
    })
  )
})

const hurried = Layer.effect(
  Deadlines,
  Effect.map(Deadlines, (usual) => ({ ...usual, sending: 1_500 }))
)

layer(inFolder.pipe(Layer.provide(hurried)), { excludeTestServices: true })("A file that is read too slowly", (it) => {
  it.scoped("is cut off at last, so that it takes up nothing for ever, and others get theirs", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* Settings
      const path = yield* stored(veryLong, "long.txt")
      const open = openFiles(join(dataDir, "files"))
      const socket = yield* openSocket
      socket.pause()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      yield* eventually(open, (count) => count === 1)
      expect((yield* send("GET", path)).text).toHaveLength(veryLong.length)
      yield* eventually(open, (count) => count === 0)
    })
  )
})

class Bucket extends Context.Tag("test/Bucket")<Bucket, Effect.Effect.Success<typeof s3Server>>() {}

const inBucket = Layer.unwrapScoped(
  Effect.map(s3Server, (server) =>
    Layer.merge(testApp({ BLOB_STORE: server.blobStore }), Layer.succeed(Bucket, server))
  )
)

layer(inBucket, { excludeTestServices: true })("A large file in a bucket", (it) => {
  it.effect("is let go when only its headers are read, or its reader goes away", () =>
    Effect.gen(function* () {
      const { underWay } = yield* Bucket
      const path = yield* stored(veryLong, "long.txt")
      yield* halfWanted(path)
      yield* eventually(underWay, (count) => count === 0)
      expect((yield* send("GET", path)).text.length).toBe(veryLong.length)
    })
  )
})
