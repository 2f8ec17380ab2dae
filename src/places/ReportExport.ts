import { Context, Effect, Layer, Scope } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { type InternalServerError, type NotFound, ServiceUnavailable } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionReportID } from "../../schema/Ids.ts"
import type { ExportQuery } from "../../schema/PlaceDescriptionReports.ts"
import { largestPiece } from "../files/BlobStore.ts"
import { piecesOf } from "../files/Pieces.ts"
import { spooled } from "../files/Spool.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { DocxRenderer } from "./document/DocxRenderer.ts"
import { composeDocument, documentFileName, type ReportDocument } from "./document/ReportDocument.ts"
import { ImageProcessor } from "./ImageProcessor.ts"
import { PhotoBytes } from "./PhotoBytes.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { makeTurns } from "./PictureMemory.ts"
import { missingReport } from "./Reports.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { RoomsRepo } from "./RoomsRepo.ts"

/** A document in a file that exists until the scope closes. */
export interface ExportedReport {
  readonly fileName: string
  readonly path: string
  readonly size: number
}

/** Makes the Word document of a report. */
export class ReportExport extends Context.Tag("casework/ReportExport")<
  ReportExport,
  {
    readonly docx: (
      reportID: PlaceDescriptionReportID,
      query: ExportQuery
    ) => Effect.Effect<ExportedReport, NotFound | InternalServerError, CurrentRep | Scope.Scope>
  }
>() {
  static readonly layer = Layer.effect(
    ReportExport,
    Effect.suspend(() => make)
  )
}

/** Each export holds all the text of a report until it is written; more at a time would only take turns. */
const atOnce = 2

/** However many exports one customer requests, a place stays free for the next customer. */
const ofOneCustomer = 1

/** A request that waits sends nothing: a connection that is silent for too long is cut, here or by a proxy. */
const longestWait = "30 seconds"

const noTurn = new ServiceUnavailable({ message: "Too many documents are being created. Send the request again." })

const tooManyUnread = new ServiceUnavailable({
  message: "Too many documents are still being downloaded. Send the request again once some of them have arrived."
})

/** How many bytes of documents may wait on this node's disk for those who download them. */
export class LargestBacklog extends Context.Reference<LargestBacklog>()("casework/LargestBacklog", {
  defaultValue: () => ({ node: 2 * 1024 ** 3, customer: 512 * 1024 ** 2 })
}) {}

const makeBacklog = Effect.map(LargestBacklog, (largest) => {
  const ofCustomer = new Map<CustomerID, number>()
  let all = 0
  const change = (customerID: CustomerID, bytes: number) =>
    Effect.sync(() => {
      all += bytes
      const own = (ofCustomer.get(customerID) ?? 0) + bytes
      if (own === 0) ofCustomer.delete(customerID)
      else ofCustomer.set(customerID, own)
    })
  return {
    /** Fails while there is no room for more documents. */
    check: (customerID: CustomerID) =>
      Effect.suspend(() =>
        all >= largest.node || (ofCustomer.get(customerID) ?? 0) >= largest.customer
          ? Effect.die(tooManyUnread)
          : Effect.void
      ),
    /** Counts a document until the scope closes. */
    add: (customerID: CustomerID, bytes: number) =>
      Effect.acquireRelease(change(customerID, bytes), () => change(customerID, -bytes))
  }
})

const photosIn = ({ hero, rooms }: ReportDocument) => [
  ...(hero === undefined ? [] : [hero.blobID]),
  ...rooms.flatMap(({ photos }) => photos.map(({ photo }) => photo.blobID))
]

const make = Effect.gen(function* () {
  const turns = yield* makeTurns(atOnce, ofOneCustomer)
  const backlog = yield* makeBacklog
  const reports = yield* ReportsRepo
  const rooms = yield* RoomsRepo
  const photos = yield* PhotosRepo
  const photoBytes = yield* PhotoBytes
  const images = yield* ImageProcessor
  const renderer = yield* DocxRenderer

  /** Writes to a file: any number of slow clients could otherwise each keep the text of a whole report in memory. */
  const write = (customerID: CustomerID, document: ReportDocument) =>
    Effect.gen(function* () {
      const shown = photosIn(document)
      if (shown.length > 0) yield* photoBytes.check(customerID, shown)
      const bytes = yield* renderer.render(document, ({ blobID }) =>
        Effect.flatMap(photoBytes.read(customerID, blobID), (photo) => images.forWord(customerID, photo))
      )
      const file = yield* spooled(piecesOf(bytes, largestPiece))
      yield* backlog.add(customerID, file.size)
      return file
    })

  return ReportExport.of({
    docx: fn("ReportExport.docx")(function* (reportID, query) {
      const { customerID } = yield* CurrentRep
      const ofFile = yield* Effect.scope
      return yield* Effect.gen(function* () {
        yield* turns
          .take(String(customerID), 1)
          .pipe(Effect.timeoutFail({ duration: longestWait, onTimeout: () => noTurn }), Effect.orDie)
        yield* backlog.check(customerID)
        const report = yield* reports.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
        const document = composeDocument(
          report,
          yield* rooms.list(customerID, reportID),
          yield* photos.listOfReport(customerID, reportID),
          query
        )
        const file = yield* Scope.extend(write(customerID, document), ofFile)
        return { fileName: documentFileName(report), ...file }
      }).pipe(Effect.scoped)
    })
  })
})
