import { setInterval } from "node:timers"
import { Chunk, DateTime, Duration, Effect, Layer, Option, Stream } from "effect"
import sharp from "sharp"
import { CustomerID, PlaceDescriptionReportID } from "../../schema/Ids.ts"
import { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import { BlobID } from "../../src/files/BlobStore.ts"
import { DocxRenderer } from "../../src/places/document/DocxRenderer.ts"
import { patchedDocx } from "../../src/places/document/PatchedDocx.ts"
import type { ReportDocument } from "../../src/places/document/ReportDocument.ts"
import { ImageProcessor } from "../../src/places/ImageProcessor.ts"
import { SharpImages } from "../../src/places/SharpImages.ts"
import { median } from "../support/Median.ts"
import { prepare } from "./TwinPhotos.ts"

/** A picture as a phone takes it: 12 megapixels, with detail in each of them. */
const cameraPicture = async () => {
  const [width, height] = [4000, 3000]
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const
  return sharp({ create: { width, height, channels: 3, background: "#808080", noise } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toBuffer()
}

const seconds = async (work: () => Promise<unknown>) => {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

const atOnce = 16

/**
 * Compares the processor with sharp alone on the same photos. They take turns, so that the machine's fluctuations
 * cancel out.
 */
const comparePhotos = Effect.gen(function* () {
  const images = yield* ImageProcessor
  const picture = yield* Effect.promise(cameraPicture)
  const copies = Array.from({ length: atOnce }, () => picture)
  const ratios: Array<number> = []
  for (let round = 0; round < 6; round += 1) {
    const alone = yield* Effect.promise(() => seconds(() => Promise.all(copies.map(prepare))))
    const [ours] = yield* Effect.timed(Effect.forEach(copies, images.prepare, { concurrency: "unbounded" }))
    // The first round only warms up both of them.
    if (round > 0) ratios.push(alone / Duration.toSeconds(ours))
  }
  return { "photos, share of bare sharp": Number(median(ratios).toFixed(2)) }
})

const report = new PlaceDescriptionReport({
  placeDescriptionReportID: PlaceDescriptionReportID.make(1),
  customerID: CustomerID.make(1),
  createdByCustomerRepID: null,
  customerRepID: null,
  clientNames: "A client",
  caseNumber: "BENCH",
  description: "A large report",
  landlords: null,
  tenants: null,
  address: "1 Bench Street",
  reportDate: "2026-03-31",
  lexiconDocumentID: null,
  instructionsDocumentID: null,
  transformTopicID: null,
  heroPhotoAccessToken: null,
  dateCreatedUtc: DateTime.unsafeMake(0),
  dateUpdatedUtc: DateTime.unsafeMake(0)
})

const paragraph = `<p>${"The walls are painted in cream emulsion and are sound throughout. ".repeat(6)}</p>`
const list = `<ul>${"<li>One <b>socket</b> without its cover</li>".repeat(8)}</ul>`
const table = `<table>${"<tr><td>Worktop</td><td>worn</td><td>two burns</td></tr>".repeat(8)}</table>`

/** Twenty rooms with ten photos each. */
const largeDocument = (widthPx: number, heightPx: number): ReportDocument => ({
  report,
  hero: undefined,
  photosAtEnd: false,
  rooms: Array.from({ length: 20 }, (_, room) => ({
    title: `${room + 1}. Room`,
    html: (paragraph + list + table).repeat(3),
    photos: Array.from({ length: 10 }, (_, index) => ({
      caption: `Photo ${room * 10 + index + 1}`,
      photo: {
        accessToken: `00000000-0000-4000-8000-${String(room * 10 + index).padStart(12, "0")}`,
        blobID: BlobID.make("00000000-0000-4000-8000-000000000000"),
        contentType: "image/jpeg",
        widthPx,
        heightPx
      }
    }))
  }))
})

const megabyte = 1024 * 1024

/** Exports it once while watching the memory of the process. */
const exportLarge = Effect.gen(function* () {
  const renderer = yield* DocxRenderer
  const images = yield* ImageProcessor
  const photo = yield* Effect.orDie(images.prepare(yield* Effect.promise(cameraPicture)))
  // As from a store: new memory each time, which can be freed once it is written.
  const open = () => Effect.sync(() => Buffer.from(photo.bytes))
  global.gc?.()
  const before = process.memoryUsage().rss
  let highest = before
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 5)
  let written = 0
  const started = performance.now()
  const cpu = process.cpuUsage()
  const stream = yield* renderer.render(largeDocument(photo.widthPx, photo.heightPx), open)
  yield* Stream.runForEachChunk(stream, (chunks) =>
    Effect.sync(() => {
      written += Chunk.reduce(chunks, 0, (sum, bytes) => sum + bytes.length)
    })
  )
  clearInterval(watch)
  const { system, user } = process.cpuUsage(cpu)
  return {
    "export of 200 photos, seconds": Number(((performance.now() - started) / 1000).toFixed(2)),
    "export, seconds of the processor": Number(((user + system) / 1_000_000).toFixed(2)),
    "export, additional memory, MiB": Math.round((highest - before) / megabyte),
    "export, size of the file, MiB": Math.round(written / megabyte)
  }
})

const goals: Readonly<Record<string, (value: number) => boolean>> = {
  "photos, share of bare sharp": (value) => value >= 0.9,
  "export of 200 photos, seconds": (value) => value < 10,
  "export, additional memory, MiB": (value) => value < 300
}

/** Measures photos and documents of condition reports. Exits with an error when a goal is missed. */
export const benchPlaces = async () => {
  const measure = Effect.all([exportLarge, comparePhotos])
  const results = await Effect.runPromise(
    measure.pipe(Effect.provide(Layer.merge(SharpImages, patchedDocx(Option.none()))))
  )
  for (const [name, value] of results.flatMap((result) => Object.entries(result))) {
    const isMissed = goals[name]?.(value) === false
    console.log(`${name}: ${value}${isMissed ? "  MISSED" : ""}`)
    if (isMissed) process.exitCode = 1
  }
}
