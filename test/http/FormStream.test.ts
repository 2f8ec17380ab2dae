import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { formEvents } from "../../src/platform/http/FormEvents.ts"
import { partsOf } from "../../src/platform/http/FormStream.ts"

const form = Buffer.from(
  [
    "--b",
    'Content-Disposition: form-data; name="note"',
    "",
    "some text -",
    "--b",
    'Content-Disposition: form-data; name="file"; filename="näme.txt"',
    "Content-Type: text/plain",
    "",
    "first line\r\n--not the boundary\r\n-",
    "--b",
    'Content-Disposition: form-data; name="other"; filename="empty"',
    "",
    "",
    "--b",
    'Content-Disposition: form-data; name="préis"; filename="10€ 日本 😀.txt"',
    "Content-Type: text/plain",
    "",
    "any name",
    "--b",
    'content-disposition: Form-Data; name="untyped"; filename="a–b"; filename*=UTF-8\'\'10%E2%82%AC',
    "",
    "x",
    "--b",
    'Content-Disposition: form-data; name="Größe – Maß"',
    "",
    "12 m²",
    "--b--",
    "what stands behind is ignored"
  ].join("\r\n")
)

const headers = { "content-type": "multipart/form-data; boundary=b" }

const arriving = (pieces: ReadonlyArray<Uint8Array>) => {
  const left = pieces.values()
  return Effect.sync(() => Option.fromNullable(left.next().value))
}

const parse = (pieces: ReadonlyArray<Uint8Array>, limits: { readonly maxParts?: number } = {}) =>
  partsOf(formEvents(arriving(pieces), { headers, ...limits })).pipe(
    Stream.mapEffect((part) =>
      part._tag === "Field"
        ? Effect.succeed([part.key, part.value])
        : Effect.map(part.contentEffect, (bytes) => [
            part.key,
            part.name,
            part.contentType,
            Buffer.from(bytes).toString()
          ])
    ),
    Stream.runCollect,
    Effect.map((parts) => [...parts])
  )

const parts = [
  ["note", "some text -"],
  ["file", "näme.txt", "text/plain", "first line\r\n--not the boundary\r\n-"],
  ["other", "empty", "application/octet-stream", ""],
  ["préis", "10€ 日本 😀.txt", "text/plain", "any name"],
  ["untyped", "10€", "application/octet-stream", "x"],
  ["Größe – Maß", "12 m²"]
]

describe("A form that arrives in pieces", () => {
  it.effect("parses the same wherever it is cut", () =>
    Effect.gen(function* () {
      expect(yield* parse([form])).toEqual(parts)
      expect(yield* parse(Array.from(form, (_, at) => form.subarray(at, at + 1)))).toEqual(parts)
      for (let at = 1; at < form.length; at++) {
        expect(yield* parse([form.subarray(0, at), form.subarray(at)]), `cut at ${at}`).toEqual(parts)
      }
    })
  )

  it.effect("fails wherever it breaks off", () =>
    Effect.gen(function* () {
      const end = form.indexOf("--b--") + 5
      for (let at = 0; at < end; at++) {
        const error = yield* Effect.flip(parse([form.subarray(0, at)]))
        expect(error.reason, `broken off at ${at}`).toBe("Parse")
      }
      expect(yield* parse([form.subarray(0, end)])).toEqual(parts)
    })
  )

  it.effect("fails when it is not a form, or a file name cannot be decoded", () =>
    Effect.gen(function* () {
      for (const text of ["", "garbage", "--b\r\nnonsense\r\n\r\n--b--", "--other--\r\n"]) {
        expect((yield* Effect.flip(parse([Buffer.from(text)]))).reason).toBe("Parse")
      }
      for (const name of ["filename*=UTF-8''%E0%A4%A", "filename=\"€\"; filename*=UTF-8''%E0%A4%A"]) {
        const broken = `--b\r\nContent-Disposition: form-data; name="file"; ${name}\r\n\r\nx\r\n--b--`
        expect((yield* Effect.flip(parse([Buffer.from(broken)]))).reason).toBe("Parse")
      }
    })
  )

  it.effect("fails when it has more parts than allowed", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(parse([form], { maxParts: 2 }))).reason).toBe("TooManyParts")
    })
  )

  it.effect("continues after a file that nobody reads", () =>
    Effect.gen(function* () {
      const keys = yield* partsOf(formEvents(arriving([form]), { headers })).pipe(
        Stream.map(({ _tag, ...part }) => ("key" in part ? part.key : _tag)),
        Stream.runCollect
      )
      expect([...keys]).toEqual(parts.map(([key]) => key))
    })
  )
})
