import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { wantedRange } from "../../src/files/ByteRanges.ts"
import { checkedType } from "../../src/files/CheckedType.ts"
import { detectType } from "../../src/files/DetectType.ts"
import { cleanFileName } from "../../src/files/FileName.ts"
import { samples } from "./Samples.ts"

const check = (fileName: string, head: Uint8Array, declaredType = "application/octet-stream") =>
  Effect.map(detectType(head), (detectedType) =>
    Either.merge(Either.mapLeft(checkedType({ fileName, declaredType, detectedType, head }), () => "refused"))
  )

describe("The type of a file", () => {
  it.effect("is that of its content, when its name is of the same family", () =>
    Effect.gen(function* () {
      expect(yield* check("a.png", samples.png, "image/png")).toBe("image/png")
      expect(yield* check("a.PNG", samples.png)).toBe("image/png")
      expect(yield* check("screenshot.jpg", samples.png, "image/jpeg")).toBe("image/png")
      expect(yield* check("without-extension", samples.png)).toBe("image/png")
      expect(yield* check("a.pdf", samples.pdf, "application/pdf")).toBe("application/pdf")
      expect(yield* check("a.zip", samples.zip, "application/x-zip-compressed")).toBe("application/zip")
      expect(yield* check("a.docx", samples.docx)).toMatch(/wordprocessingml/)
      expect(yield* check("a.odt", samples.zip)).toMatch(/opendocument.text/)
      expect(yield* check("a.doc", samples.compound)).toBe("application/msword")
      expect(yield* check("a.mp3", samples.mp3, "audio/mpeg")).toBe("audio/mpeg")
      expect(yield* check("a.mp4", samples.mp4, "video/mp4")).toBe("video/mp4")
      expect(yield* check("a.txt", Buffer.from("BMW: a bill"), "text/plain")).toBe("text/plain")
      expect(yield* check("a.csv", Buffer.from("a;b\r\nü;1", "latin1"), "application/vnd.ms-excel")).toBe("text/csv")
      expect(yield* check("README", Buffer.from("read me"))).toBe("text/plain")
      expect(yield* check("utf16.txt", Buffer.from("\ufeffhallo", "utf16le"))).toBe("text/plain")
      expect(yield* check("mail.eml", Buffer.from("From: a@b.example\r\n\r\nhi"))).toBe("message/rfc822")
      expect(yield* check("x.svg", Buffer.from("<svg onload='alert(1)'/>"), "image/svg+xml")).toBe("image/svg+xml")
      expect(yield* check("x.html", Buffer.from("<script>alert(1)</script>"), "text/html")).toBe("text/html")
      expect(yield* check("x.xml", Buffer.from("<?xml version='1.0'?><a/>"), "text/xml")).toBe("application/xml")
    })
  )

  it.effect("is refused for programs, whatever they are called", () =>
    Effect.gen(function* () {
      for (const program of [samples.elf, samples.exe, samples.machO, samples.script, samples.javaClass]) {
        for (const name of [
          "a.exe",
          "a.jpg",
          "a.txt",
          "a.pdf",
          "a.docx",
          "a.zip",
          "a.mp4",
          "a",
          "a.svg",
          "a.jpg.exe"
        ]) {
          expect(yield* check(name, program, "image/jpeg")).toBe("refused")
          expect(yield* check(name, program)).toBe("refused")
        }
      }
      for (const name of ["run.bat", "run.cmd", "run.ps1", "run.js", "run.sh", "x.lnk", "x.hta", "x.vbs", "x.py"]) {
        expect(yield* check(name, Buffer.from("echo hello"))).toBe("refused")
      }
      expect(yield* check("x.msi", samples.compound)).toBe("refused")
      expect(yield* check("x.jar", samples.zip)).toBe("refused")
      expect(yield* check("x.docm", samples.zip)).toBe("refused")
    })
  )

  it.effect("is refused when name, content and declaration do not match", () =>
    Effect.gen(function* () {
      expect(yield* check("a.pdf", samples.png)).toBe("refused")
      expect(yield* check("a.jpg", Buffer.from("just text"))).toBe("refused")
      expect(yield* check("a.txt", samples.png)).toBe("refused")
      expect(yield* check("a.png", samples.png, "application/pdf")).toBe("refused")
      expect(yield* check("a.txt", Buffer.from("text"), "image/png")).toBe("refused")
      expect(yield* check("a.docx", Buffer.from("text"))).toBe("refused")
      expect(yield* check("unknown", Buffer.from([1, 2, 3, 4, 5, 6]))).toBe("refused")
      expect(yield* check("a.7z", Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1"))).toBe("refused")
    })
  )
})

describe("The name of a file", () => {
  it("loses its path and what could fool a person or a program", () => {
    expect(cleanFileName("../../etc/passwd")).toBe("passwd")
    expect(cleanFileName("C:\\Users\\me\\photo.png")).toBe("photo.png")
    expect(cleanFileName("a\r\nSet-Cookie: x=1.txt")).toBe("aSet-Cookie: x=1.txt")
    expect(cleanFileName("invoice\u202Efdp.exe")).toBe("invoicefdp.exe")
    expect(cleanFileName("Übergabe 日本 📎.pdf")).toBe("Übergabe 日本 📎.pdf")
    expect(["", "..", " . ", "a/", "\u0000"].map(cleanFileName)).toEqual(["file", "file", "file", "file", "file"])
    expect(cleanFileName(`${"x".repeat(500)}.jpeg`)).toBe(`${"x".repeat(195)}.jpeg`)
  })

  it("is safe whatever was written, and does not change when it is cleaned again", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.fullUnicodeString(), fc.string16bits(), fc.stringMatching(/^[./\\ a\r\n]*$/)),
        (written) => {
          const name = cleanFileName(written)
          expect(name).not.toMatch(/[\\/\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
          expect(name.isWellFormed()).toBe(true)
          expect(Array.from(name).length).toBeGreaterThan(0)
          expect(Array.from(name).length).toBeLessThanOrEqual(200)
          expect(name).not.toMatch(/^\.|\.$/)
          expect(cleanFileName(name)).toBe(name)
        }
      )
    )
  })
})

describe("A range of bytes", () => {
  it("lies inside of the file", () => {
    const headers = fc.oneof(
      fc.tuple(fc.nat(60), fc.nat(60)).map(([start, end]) => `bytes=${start}-${end}`),
      fc.nat(60).map((start) => `bytes=${start}-`),
      fc.nat(60).map((last) => `Bytes= -${last}`),
      fc.string()
    )
    fc.assert(
      fc.property(headers, fc.integer({ min: 1, max: 50 }), (header, size) => {
        const wanted = wantedRange(header, size)
        if (wanted._tag !== "Part") return
        expect(wanted.start).toBeGreaterThanOrEqual(0)
        expect(wanted.end).toBeGreaterThanOrEqual(wanted.start)
        expect(wanted.end).toBeLessThan(size)
      })
    )
  })

  it("is read as the standard says", () => {
    expect(wantedRange("bytes=0-0", 10)).toEqual({ _tag: "Part", start: 0, end: 0 })
    expect(wantedRange("bytes=5-", 10)).toEqual({ _tag: "Part", start: 5, end: 9 })
    expect(wantedRange("bytes=-3", 10)).toEqual({ _tag: "Part", start: 7, end: 9 })
    expect(wantedRange("bytes=-30", 10)).toEqual({ _tag: "Part", start: 0, end: 9 })
    expect(wantedRange("bytes=2-300", 10)).toEqual({ _tag: "Part", start: 2, end: 9 })
    expect(["bytes=10-", "bytes=10-20", "bytes=-0"].map((header) => wantedRange(header, 10)._tag)).toEqual([
      "Nothing",
      "Nothing",
      "Nothing"
    ])
    for (const header of [undefined, "", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=a-b"]) {
      expect(wantedRange(header, 10)).toEqual({ _tag: "Whole" })
    }
  })
})
