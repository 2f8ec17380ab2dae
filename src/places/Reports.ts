import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import type { BadRequest, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionReportID, PlaceDescriptionRoomPhotoID } from "../../schema/Ids.ts"
import {
  type PlaceDescriptionReportCreate,
  PlaceDescriptionReportDetail,
  type PlaceDescriptionReportPage,
  type PlaceDescriptionReportsQuery,
  type PlaceDescriptionReportUpdate
} from "../../schema/PlaceDescriptionReports.ts"
import { Blobs } from "../files/Blobs.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences, newReferences, type Reference } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { emptyReport, referencesOf } from "./ReportFields.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { RoomsRepo } from "./RoomsRepo.ts"
import { withPhotos } from "./RoomsWithPhotos.ts"
import { TransformRepo } from "./TransformRepo.ts"

export class Reports extends Context.Tag("casework/Reports")<
  Reports,
  {
    readonly list: (query: PlaceDescriptionReportsQuery) => Effect.Effect<PlaceDescriptionReportPage, never, CurrentRep>
    readonly get: (
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<PlaceDescriptionReportDetail, NotFound, CurrentRep>
    readonly create: (
      report: PlaceDescriptionReportCreate
    ) => Effect.Effect<PlaceDescriptionReportDetail, BadRequest, CurrentRep>
    readonly update: (
      reportID: PlaceDescriptionReportID,
      change: PlaceDescriptionReportUpdate
    ) => Effect.Effect<void, BadRequest | NotFound, CurrentRep>
    readonly delete: (reportID: PlaceDescriptionReportID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Reports,
    Effect.suspend(() => make)
  )
}

export const missingReport = (reportID: PlaceDescriptionReportID) => `There is no condition report ${reportID}.`

const notItsPhoto = [{ path: "heroPhotoAccessToken", message: "is not a photo of this report" }]

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ReportsRepo
  const rooms = yield* RoomsRepo
  const photos = yield* PhotosRepo
  const blobs = yield* Blobs
  const documents = yield* TransformRepo
  const checkOwnReferences = yield* makeCheckOwnReferences

  /**
   * Finds references to documents that retrieve data: a transformation calls no API and would silently leave them out.
   */
  const retrievalProblems = fn("Reports.retrievalProblems")(function* (
    customerID: CustomerID,
    references: ReadonlyArray<Reference>
  ) {
    const named = references.filter(({ kind }) => kind === "document")
    if (named.length === 0) return []
    const ids = yield* documents.retrieving(
      customerID,
      named.map(({ id }) => id)
    )
    return named
      .filter(({ id }) => ids.has(id))
      .map(({ path }) => ({ path, message: "is a data retrieval document: choose a static document" }))
  })

  /** Finds the photo with the given token; none when no token was given or the report has no such photo. */
  const heroOf = (customerID: CustomerID, reportID: PlaceDescriptionReportID, token: string | null | undefined) =>
    token === undefined || token === null
      ? Effect.succeed(Option.none<PlaceDescriptionRoomPhotoID>())
      : repo.findPhoto(customerID, reportID, token)

  return Reports.of({
    list: fn("Reports.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("Reports.get")(function* (reportID) {
      const { customerID } = yield* CurrentRep
      const report = yield* repo.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
      const stored = yield* rooms.list(customerID, reportID)
      const pictures = yield* photos.listOfReport(customerID, reportID)
      return new PlaceDescriptionReportDetail({ ...report, rooms: withPhotos(stored, pictures) })
    }),

    create: fn("Reports.create")(function* ({ heroPhotoAccessToken = null, ...report }) {
      const { customerID, customerRepID } = yield* CurrentRep
      const references = referencesOf(report)
      yield* checkOwnReferences(customerID, references, [
        ...(heroPhotoAccessToken === null ? [] : notItsPhoto),
        ...(yield* retrievalProblems(customerID, references))
      ])
      const stored = yield* repo.insert(customerID, customerRepID, { ...emptyReport, ...report })
      return new PlaceDescriptionReportDetail({ ...stored, rooms: [] })
    }, inTransaction),

    update: fn("Reports.update")(function* (reportID, { heroPhotoAccessToken, ...change }) {
      const { customerID } = yield* CurrentRep
      const had = yield* repo.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
      const hero = yield* heroOf(customerID, reportID, heroPhotoAccessToken)
      const isForeign = typeof heroPhotoAccessToken === "string" && Option.isNone(hero)
      const references = referencesOf(change)
      const retrieving = yield* retrievalProblems(customerID, newReferences(referencesOf(had), references))
      // Locks the references before the report: deleting a topic locks the topic before the reports that refer to it.
      yield* checkOwnReferences(customerID, references, [...(isForeign ? notItsPhoto : []), ...retrieving])
      yield* repo
        .update(customerID, reportID, {
          ...change,
          ...(heroPhotoAccessToken !== undefined && { heroPhotoID: Option.getOrNull(hero) })
        })
        .pipe(changedOrNotFound(missingReport(reportID)))
    }, inTransaction),

    delete: fn("Reports.delete")(function* (reportID) {
      const { customerID } = yield* CurrentRep
      // Locked before its photos are listed: a photo added in between would leave its bytes behind.
      yield* repo.touch(customerID, reportID).pipe(changedOrNotFound(missingReport(reportID)))
      const bytes = yield* photos.blobsOfReport(customerID, reportID)
      yield* repo.delete(customerID, reportID)
      yield* blobs.discardAll(customerID, bytes)
    }, inTransaction)
  })
})
