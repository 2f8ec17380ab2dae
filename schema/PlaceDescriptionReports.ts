import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ReportAccess } from "./Authentication.ts"
import { CalendarDate } from "./CalendarDate.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { NotFound } from "./Errors.ts"
import { anyCase, Body, changeable, clearable, optional, Query, QueryBoolean, Text, TextUpTo } from "./Fields.ts"
import { CustomerID, CustomerRepID, DocumentID, PlaceDescriptionReportID, pathId, TopicID } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"
import { PlaceDescriptionRoom } from "./PlaceDescriptionRooms.ts"

const text = Schema.NullOr(Schema.String)

export class PlaceDescriptionReport extends Schema.Class<PlaceDescriptionReport>("PlaceDescriptionReport")({
  placeDescriptionReportID: PlaceDescriptionReportID,
  customerID: CustomerID,
  createdByCustomerRepID: Schema.NullOr(CustomerRepID),
  customerRepID: Schema.NullOr(CustomerRepID).annotations({
    description: "The owner: the representative who created the report"
  }),
  clientNames: text,
  caseNumber: text,
  description: text,
  landlords: text,
  tenants: text,
  address: text,
  reportDate: text.annotations({ description: "YYYY-MM-DD" }),
  lexiconDocumentID: Schema.NullOr(DocumentID),
  instructionsDocumentID: Schema.NullOr(DocumentID),
  transformTopicID: Schema.NullOr(TopicID),
  heroPhotoAccessToken: text,
  dateCreatedUtc: Schema.DateTimeUtc,
  dateUpdatedUtc: Schema.DateTimeUtc.annotations({
    description: "Also updated when one of its rooms or photos changes"
  })
}) {}

export class PlaceDescriptionReportDetail extends Schema.Class<PlaceDescriptionReportDetail>(
  "PlaceDescriptionReportDetail"
)({
  ...PlaceDescriptionReport.fields,
  rooms: Schema.Array(PlaceDescriptionRoom).annotations({ description: "Sorted by sortOrder, then room id" })
}) {}

const PhotoToken = Text.pipe(
  Schema.filter((token) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token), {
    message: () => "must be the access token of a photo of this report",
    jsonSchema: { format: "uuid" },
    arbitrary: () => (fc) => fc.uuid()
  })
)

const written = {
  clientNames: emptyAsNull(TextUpTo(512)).annotations({ examples: ["The owners' association"] }),
  caseNumber: emptyAsNull(TextUpTo(255)).annotations({
    description: "Used as the name of the DOCX file",
    examples: ["SOC-2026-0117"]
  }),
  description: emptyAsNull(TextUpTo(100_000)).annotations({ examples: ["Condition before the works next door."] }),
  landlords: emptyAsNull(TextUpTo(512)),
  tenants: emptyAsNull(TextUpTo(512)),
  address: emptyAsNull(TextUpTo(512)).annotations({ examples: ["1 Example Street, Springfield"] }),
  reportDate: emptyAsNull(CalendarDate).annotations({ jsonSchema: { type: "string", format: "date" } }),
  lexiconDocumentID: DocumentID.annotations({
    description: "A static document, not one that retrieves data"
  }),
  instructionsDocumentID: DocumentID.annotations({
    description: "A static document, not one that retrieves data"
  }),
  transformTopicID: TopicID,
  heroPhotoAccessToken: emptyAsNull(PhotoToken).annotations({
    description: "A photo of this report, for the first page of the DOCX"
  })
}

export const PlaceDescriptionReportCreate = Body("PlaceDescriptionReportCreate", {
  clientNames: optional(written.clientNames),
  caseNumber: optional(written.caseNumber),
  description: optional(written.description),
  landlords: optional(written.landlords),
  tenants: optional(written.tenants),
  address: optional(written.address),
  reportDate: optional(written.reportDate),
  lexiconDocumentID: optional(written.lexiconDocumentID),
  instructionsDocumentID: optional(written.instructionsDocumentID),
  transformTopicID: optional(written.transformTopicID),
  heroPhotoAccessToken: optional(written.heroPhotoAccessToken)
})
export type PlaceDescriptionReportCreate = typeof PlaceDescriptionReportCreate.Type

export const PlaceDescriptionReportUpdate = Body("PlaceDescriptionReportUpdate", {
  clientNames: clearable(written.clientNames),
  caseNumber: clearable(written.caseNumber),
  description: clearable(written.description),
  landlords: clearable(written.landlords),
  tenants: clearable(written.tenants),
  address: clearable(written.address),
  reportDate: clearable(written.reportDate),
  lexiconDocumentID: clearable(written.lexiconDocumentID),
  instructionsDocumentID: clearable(written.instructionsDocumentID),
  transformTopicID: clearable(written.transformTopicID),
  heroPhotoAccessToken: clearable(written.heroPhotoAccessToken)
})
export type PlaceDescriptionReportUpdate = typeof PlaceDescriptionReportUpdate.Type

export const reportPaging = paging({
  sortable: [
    "placeDescriptionReportID",
    "customerID",
    "createdByCustomerRepID",
    "customerRepID",
    "clientNames",
    "caseNumber",
    "description",
    "landlords",
    "tenants",
    "address",
    "reportDate",
    "lexiconDocumentID",
    "instructionsDocumentID",
    "transformTopicID",
    "heroPhotoAccessToken",
    "dateCreatedUtc",
    "dateUpdatedUtc"
  ],
  sortBy: "dateCreatedUtc",
  sortOrder: "desc"
})

export const PlaceDescriptionReportsQuery = Query({
  ...reportPaging.query,
  search: changeable(TextUpTo(512)).annotations({
    description: "Words, each of them any part of the address, the case number or the client names, in any case"
  })
})
export type PlaceDescriptionReportsQuery = typeof PlaceDescriptionReportsQuery.Type

export const PlaceDescriptionReportPage = Page("PlaceDescriptionReportPage", PlaceDescriptionReport)
export type PlaceDescriptionReportPage = typeof PlaceDescriptionReportPage.Type

export const ExportQuery = Query({
  photoPlacement: changeable(anyCase(["perRoom", "per-room", "atEnd", "at-end"], "perRoom")).annotations({
    description: "Puts each room's photos below its text, or all photos at the end"
  }),
  includePhotos: changeable(QueryBoolean).annotations({
    description: "Default true; false omits every photo, including the hero photo"
  }),
  excludeHeroPhoto: changeable(QueryBoolean).annotations({
    description: "Default true: the hero photo appears on the first page and is not repeated in its room"
  })
})
export type ExportQuery = typeof ExportQuery.Type

export const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

export class PlaceDescriptionReportsApi extends HttpApiGroup.make("placeDescriptionReports")
  .add(
    HttpApiEndpoint.get("listPlaceDescriptionReports", "/api/PlaceDescriptionReports")
      .setUrlParams(PlaceDescriptionReportsQuery)
      .addSuccess(PlaceDescriptionReportPage)
      .annotateContext(
        OpenApi.annotations({ summary: "List condition reports", description: "Newest first, without rooms." })
      )
  )
  .add(
    HttpApiEndpoint.get("getPlaceDescriptionReport")`/api/PlaceDescriptionReports/${pathId(PlaceDescriptionReportID)}`
      .addSuccess(PlaceDescriptionReportDetail)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read a condition report",
          description: "With its rooms and their photos, and its ETag."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("createPlaceDescriptionReport", "/api/PlaceDescriptionReports")
      .setPayload(PlaceDescriptionReportCreate)
      .addSuccess(PlaceDescriptionReportDetail)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a condition report",
          description:
            "Everything is optional. Documents and the topic must be your own, otherwise returns 400. A new report has no photos, so a hero photo can only be set later."
        })
      )
  )
  .add(
    HttpApiEndpoint.put(
      "updatePlaceDescriptionReport"
    )`/api/PlaceDescriptionReports/${pathId(PlaceDescriptionReportID)}`
      .setPayload(PlaceDescriptionReportUpdate)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a condition report",
          description:
            "Missing properties stay unchanged, null clears. A document, topic or hero photo that is not yours, or a photo of another report, returns 400."
        })
      )
  )
  .add(
    HttpApiEndpoint.del(
      "deletePlaceDescriptionReport"
    )`/api/PlaceDescriptionReports/${pathId(PlaceDescriptionReportID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a condition report",
          description: "Deletes its rooms and photos as well."
        })
      )
  )
  .add(
    HttpApiEndpoint.get(
      "exportPlaceDescriptionReport"
    )`/api/PlaceDescriptionReports/${pathId(PlaceDescriptionReportID)}/export/docx`
      .setUrlParams(ExportQuery)
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: docxType }))
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Export a condition report as DOCX",
          description:
            "A Word document based on the server's template. The file is named after the case number, or else PlaceDescription-{id}.docx; characters that are not allowed in file names become underscores. Returns 500 when the template is missing."
        })
      )
  )
  .middleware(ReportAccess)
  .annotateContext(
    OpenApi.annotations({
      title: "Condition reports",
      description: "Schedules of condition: rooms, photos, text by AI and a Word document."
    })
  ) {}
