import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { docxType } from "../../schema/PlaceDescriptionReports.ts"
import { dispositionOf } from "../files/Disposition.ts"
import { readerOf } from "../files/Spool.ts"
import { FileBody } from "../platform/http/SendResponse.ts"
import { type ExportedReport, ReportExport } from "./ReportExport.ts"
import { Reports } from "./Reports.ts"

const asResponse = ({ fileName, path, size }: ExportedReport) =>
  Effect.map(readerOf(path), (readInto) =>
    HttpServerResponse.raw(new FileBody(readInto, size), {
      contentType: docxType,
      contentLength: size,
      headers: { "content-disposition": dispositionOf(fileName, "attachment"), "cache-control": "private, no-store" }
    })
  )

export const ReportsHttp = HttpApiBuilder.group(CaseworkApi, "placeDescriptionReports", (handlers) =>
  Effect.gen(function* () {
    const reports = yield* Reports
    const reportExport = yield* ReportExport
    return handlers
      .handle("listPlaceDescriptionReports", ({ urlParams }) => reports.list(urlParams))
      .handle("getPlaceDescriptionReport", ({ path }) => reports.get(path.id))
      .handle("createPlaceDescriptionReport", ({ payload }) => reports.create(payload))
      .handle("updatePlaceDescriptionReport", ({ path, payload }) => reports.update(path.id, payload))
      .handle("deletePlaceDescriptionReport", ({ path }) => reports.delete(path.id))
      .handle("exportPlaceDescriptionReport", ({ path, urlParams }) =>
        Effect.flatMap(reportExport.docx(path.id, urlParams), asResponse)
      )
  })
)
