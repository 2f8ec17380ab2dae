import { SqlClient } from "@effect/sql"
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
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotosRepo } from "./PhotosRepo.ts"
import { emptyReport, referencesOf } from "./ReportFields.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { RoomsRepo } from "./RoomsRepo.ts"
import { withPhotos } from "./RoomsWithPhotos.ts"

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
  const sql = yield* SqlClient.SqlClient
  const repo = yield* ReportsRepo
  const rooms = yield* RoomsRepo
  const photos = yield* PhotosRepo
  const blobs = yield* Blobs
  const checkOwnReferences = yield* makeCheckOwnReferences

  /** The photo behind a token that was written; nothing when none was, or when the report has no such photo. */
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

    create: fn("Reports.create")(
      function* ({ heroPhotoAccessToken = null, ...report }) {
        const { customerID, customerRepID } = yield* CurrentRep
        yield* checkOwnReferences(customerID, referencesOf(report), heroPhotoAccessToken === null ? [] : notItsPhoto)
        const stored = yield* repo.insert(customerID, customerRepID, { ...emptyReport, ...report })
        return new PlaceDescriptionReportDetail({ ...stored, rooms: [] })
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    ),

    update: fn("Reports.update")(
      function* (reportID, { heroPhotoAccessToken, ...change }) {
        const { customerID } = yield* CurrentRep
        yield* repo.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
        const hero = yield* heroOf(customerID, reportID, heroPhotoAccessToken)
        const isForeign = typeof heroPhotoAccessToken === "string" && Option.isNone(hero)
        // What it names before itself: a topic that is deleted is taken before the reports that named it.
        yield* checkOwnReferences(customerID, referencesOf(change), isForeign ? notItsPhoto : [])
        yield* repo.touch(customerID, reportID).pipe(changedOrNotFound(missingReport(reportID)))
        const stored = yield* repo.find(customerID, reportID).pipe(orNotFound(missingReport(reportID)))
        yield* repo.update(customerID, reportID, { ...stored, ...change })
        if (heroPhotoAccessToken === undefined) return
        yield* repo.setHeroPhoto(customerID, reportID, Option.getOrNull(hero))
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    ),

    delete: fn("Reports.delete")(
      function* (reportID) {
        const { customerID } = yield* CurrentRep
        const bytes = yield* photos.blobsOfReport(customerID, reportID)
        yield* repo.delete(customerID, reportID).pipe(changedOrNotFound(missingReport(reportID)))
        yield* Effect.forEach(bytes, (blobID) => blobs.discard(customerID, blobID), { discard: true })
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )
  })
})
