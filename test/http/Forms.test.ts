import {
  FileSystem,
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiSchema,
  Multipart
} from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { send } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"
import { openSocket, parseAnswer, readToEnd } from "./RawRequest.ts"
import { servedApi } from "./ServedApi.ts"

const limit = 2 * 1024 * 1024
const largestFile = limit - 500_000

const api = HttpApi.make("forms").add(
  HttpApiGroup.make("forms").add(
    HttpApiEndpoint.post("upload", "/upload")
      .setPayload(
        HttpApiSchema.Multipart(Schema.Struct({ file: Multipart.SingleFileSchema }), {
          maxTotalSize: Option.some(limit),
          maxFileSize: Option.some(largestFile)
        })
      )
      .addSuccess(Schema.Struct({ size: Schema.Int }))
  )
)

const Handlers = HttpApiBuilder.group(api, "forms", (handlers) =>
  Effect.map(FileSystem.FileSystem, (files) =>
    handlers.handle("upload", ({ payload }) =>
      Effect.map(Effect.orDie(files.stat(payload.file.path)), ({ size }) => ({ size: Number(size) }))
    )
  )
)

const formOf = (size: number) => {
  const form = new FormData()
  form.append("file", new Blob(["x".repeat(size)]), "a.txt")
  return form
}

const upload = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
  send("POST", "/upload", { body, headers })

const uploadChunked = (size: number) =>
  Effect.gen(function* () {
    const socket = yield* openSocket
    socket.write(
      "POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n" +
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    const chunk = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
    chunk('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
    for (let sent = 0; sent < size; sent += 65_536) chunk("x".repeat(65_536))
    chunk("\r\n--b--\r\n")
    socket.write("0\r\n\r\n")
    return parseAnswer(yield* readToEnd(socket))
  }).pipe(Effect.scoped)

layer(servedApi(api, Handlers), { excludeTestServices: true })("Forms", (it) => {
  it.effect("may be larger than a JSON body", () =>
    Effect.gen(function* () {
      expect((yield* upload(formOf(largestFile - 1000))).json).toEqual({ size: largestFile - 1000 })
      expect((yield* uploadChunked(1024 * 1024)).json).toEqual({ size: 1024 * 1024 })
    })
  )

  it.effect("are refused with 413 when too large", () =>
    Effect.gen(function* () {
      expectError(yield* upload(formOf(largestFile + 1)), 413, /too large/)
      expectError(yield* upload(formOf(limit + 1)), 413, /too large/)
      expectError(yield* upload(formOf(40 * 1024 * 1024)), 413, /too large/)
      expectError(yield* uploadChunked(3 * limit), 413, /too large/)
      expect((yield* upload(formOf(10))).status).toBe(200)
    })
  )

  it.effect("are refused with 415 when they are not forms, and with 400 when broken", () =>
    Effect.gen(function* () {
      for (const type of ["application/json", "text/plain", "multipart/form-data", "multipart/mixed; boundary=b"]) {
        expectError(yield* upload("{}", { "content-type": type }), 415, /multipart\/form-data with a boundary/)
      }
      const form = { "content-type": "multipart/form-data; boundary=b" }
      expectError(yield* upload("--b\r\n", { ...form, "content-encoding": "gzip" }), 415, /Content-Encoding/)
      for (const text of [
        "",
        "garbage",
        "--b--\r\n",
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
      ]) {
        expectError(yield* upload(text, form), 400, /./)
      }
    })
  )
})
