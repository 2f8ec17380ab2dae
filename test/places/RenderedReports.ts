import { Chunk, DateTime, Effect, Option, Stream } from "effect"
import { CustomerID, PlaceDescriptionReportID } from "../../schema/Ids.ts"
import { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import { DocxRenderer } from "../../src/places/document/DocxRenderer.ts"
import { makeHtmlReader } from "../../src/places/document/HtmlBlocks.ts"
import { patchedDocx } from "../../src/places/document/PatchedDocx.ts"
import type { ReportDocument } from "../../src/places/document/ReportDocument.ts"
import { emptyReport } from "../../src/places/ReportFields.ts"

/** A report with nothing filled in. */
export const blank = new PlaceDescriptionReport({
  ...emptyReport,
  placeDescriptionReportID: PlaceDescriptionReportID.make(7),
  customerID: CustomerID.make(1),
  createdByCustomerRepID: null,
  customerRepID: null,
  heroPhotoAccessToken: null,
  dateCreatedUtc: DateTime.unsafeMake(0),
  dateUpdatedUtc: DateTime.unsafeMake(0)
})

/** A document with a room for each HTML, and without photos. */
export const documentOf = (htmls: ReadonlyArray<string>, report = blank): ReportDocument => ({
  report,
  hero: undefined,
  photosAtEnd: false,
  rooms: htmls.map((html, index) => ({ title: `${index + 1}. Room`, html, photos: [] }))
})

/** The bytes of the Word document. */
export const render = (document: ReportDocument, template = Option.none<string>()) =>
  Effect.gen(function* () {
    const renderer = yield* DocxRenderer
    const bytes = yield* renderer.render(document, () => Effect.dieMessage("There are no photos"))
    return Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(bytes)))
  }).pipe(Effect.provide(patchedDocx(template)), Effect.runPromise)

/** Reads one document in one go. */
export const blocksIn = (html: string) => {
  const steps = makeHtmlReader()(html)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
