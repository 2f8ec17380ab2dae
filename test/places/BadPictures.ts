import { randomBytes } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import { Effect } from "effect"
import sharp from "sharp"
import { draw } from "./Places.ts"

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A valid PNG of one megabyte that takes far more once it is unpacked: grey, with one bit per pixel. */
export const bomb = (side: number) => pngOf(side, [1, 0, 0, 0, 0])

/** The header of an interlaced PNG with four channels of 16 bits, and no readable data after it. */
export const heavy = (side: number) => pngOf(side, [16, 6, 0, 0, 1])

const pngOf = (side: number, format: ReadonlyArray<number>) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set(format, 8)
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("tEXt", Buffer.concat([Buffer.from("Comment\0"), Buffer.alloc(1024 * 1024 - rows.length, "x")])),
    chunk("IEND", Buffer.alloc(0))
  ])
}

export const truncatedJpeg = Effect.map(draw(800, 600), (bytes) => bytes.subarray(0, bytes.length / 2))

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>1</script></svg>'
)

export const animatedWebp = Effect.promise(async () => {
  const frame = (background: string) =>
    sharp({ create: { width: 60, height: 40, channels: 3, background } })
      .png()
      .toBuffer()
  const frames = [await frame("#ff0000"), await frame("#0000ff")]
  return sharp(frames, { join: { animated: true } })
    .webp({ delay: [100, 100] })
    .toBuffer()
})

/** As large as a photo may be, and of a kind that cannot be made smaller. */
export const noise = Effect.promise(() =>
  sharp(randomBytes(2048 * 768 * 4), { raw: { width: 2048, height: 768, channels: 4 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
)

/** As a phone takes it: lying on its side, with the location and other metadata. */
export const fromTelephone = Effect.promise(() =>
  sharp({ create: { width: 400, height: 200, channels: 3, background: "#336699" } })
    .composite([
      {
        input: Buffer.from('<svg width="200" height="100"><rect width="200" height="100" fill="#ffcc00"/></svg>'),
        left: 0,
        top: 0
      }
    ])
    .withExif({
      IFD0: { Make: "A telephone" },
      IFD3: {
        GPSLatitudeRef: "N",
        GPSLatitude: "51/1 30/1 3230/100",
        GPSLongitudeRef: "W",
        GPSLongitude: "0/1 7/1 4366/100"
      }
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">who was here</x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
)
