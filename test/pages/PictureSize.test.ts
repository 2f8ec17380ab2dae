import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { pictureSize } from "../../src/pages/desk/PictureSize.ts"

const picture = sharp({
  create: { width: 1234, height: 567, channels: 4, background: { r: 200, g: 40, b: 10, alpha: 0.5 } }
})

const kinds = {
  png: picture.clone().png(),
  gif: picture.clone().gif(),
  jpeg: picture
    .clone()
    .withExif({ IFD0: { ImageDescription: "x".repeat(3000) } })
    .jpeg(),
  "progressive jpeg": picture.clone().jpeg({ progressive: true }),
  webp: picture.clone().webp(),
  "webp without loss": picture.clone().webp({ lossless: true }),
  "webp without transparency": picture.clone().removeAlpha().webp()
}

const bytesOf = (buffer: Buffer) => new Uint8Array(buffer).buffer

describe("The size of a picture", () => {
  for (const [kind, made] of Object.entries(kinds)) {
    it.effect(`is read from a ${kind}`, () =>
      Effect.gen(function* () {
        const buffer = yield* Effect.promise(() => made.toBuffer())
        expect(pictureSize(bytesOf(buffer))).toEqual({ width: 1234, height: 567 })
        for (const length of [0, 3, 29, 30, 40]) {
          expect(() => pictureSize(bytesOf(buffer.subarray(0, length))), String(length)).not.toThrow()
        }
      })
    )
  }

  it("is unknown for anything else", () => {
    expect(pictureSize(bytesOf(Buffer.alloc(200, 0xff)))).toBeUndefined()
    expect(pictureSize(bytesOf(Buffer.from(`\xff\xd8${"\xff\x00\x00\x00".repeat(100)}`, "latin1")))).toBeUndefined()
  })
})
