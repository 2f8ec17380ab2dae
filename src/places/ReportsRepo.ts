import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import {
  CustomerID,
  type CustomerRepID,
  PlaceDescriptionReportID,
  type PlaceDescriptionRoomID,
  PlaceDescriptionRoomPhotoID
} from "../../schema/Ids.ts"
import {
  PlaceDescriptionReport,
  type PlaceDescriptionReportPage,
  type PlaceDescriptionReportsQuery,
  reportPaging
} from "../../schema/PlaceDescriptionReports.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { holdsAll, spelledPatterns } from "../platform/database/SearchWords.ts"
import { type ReportChange, type ReportFields, reportValues } from "./ReportFields.ts"

export class ReportsRepo extends Context.Tag("casework/ReportsRepo")<
  ReportsRepo,
  {
    readonly list: (
      customerID: CustomerID,
      query: PlaceDescriptionReportsQuery
    ) => Effect.Effect<PlaceDescriptionReportPage>
    readonly find: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<Option.Option<PlaceDescriptionReport>>
    readonly insert: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      fields: ReportFields
    ) => Effect.Effect<PlaceDescriptionReport>
    readonly setHeroPhoto: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID,
      photoID: PlaceDescriptionRoomPhotoID | null
    ) => Effect.Effect<void>
    readonly findPhoto: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID,
      accessToken: string
    ) => Effect.Effect<Option.Option<PlaceDescriptionRoomPhotoID>>
    readonly delete: (customerID: CustomerID, reportID: PlaceDescriptionReportID) => Effect.Effect<boolean>
    /**
     * Notes that something in a report changes, and locks the report until the transaction ends. Every change to a
     * report, a room or a photo begins with one of these four, so that two changes can never wait for each other.
     */
    readonly update: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID,
      change: ReportChange & { readonly heroPhotoID?: PlaceDescriptionRoomPhotoID | null }
    ) => Effect.Effect<boolean>
    readonly touch: (customerID: CustomerID, reportID: PlaceDescriptionReportID) => Effect.Effect<boolean>
    readonly touchOfRoom: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<boolean>
    readonly touchOfPhoto: (customerID: CustomerID, photoID: PlaceDescriptionRoomPhotoID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ReportsRepo,
    Effect.suspend(() => make)
  )
}

const Row = Schema.Struct({
  ...PlaceDescriptionReport.fields,
  dateCreatedUtc: Schema.DateTimeUtcFromDate,
  dateUpdatedUtc: Schema.DateTimeUtcFromDate
})

const Stored = Schema.transform(Row, Schema.typeSchema(PlaceDescriptionReport), {
  strict: true,
  decode: (row) => new PlaceDescriptionReport(row),
  encode: (report) => report
})

const heroToken = `(select hero.access_token::text from place_description_room_photo hero
  where hero.customer_id = place_description_report.customer_id
    and hero.place_description_room_photo_id = place_description_report.hero_photo_id)`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`place_description_report_id as "placeDescriptionReportID", customer_id as "customerID",
    created_by_customer_rep_id as "createdByCustomerRepID", customer_rep_id as "customerRepID",
    client_names as "clientNames", case_number as "caseNumber", description, landlords, tenants, address,
    to_char(report_date, 'YYYY-MM-DD') as "reportDate", lexicon_document_id as "lexiconDocumentID",
    instructions_document_id as "instructionsDocumentID", transform_topic_id as "transformTopicID",
    ${heroToken} as "heroPhotoAccessToken", created_at as "dateCreatedUtc", modified_at as "dateUpdatedUtc"`)
  const rows = ownRows(sql, {
    table: "place_description_report",
    key: "place_description_report_id",
    columns,
    Result: Stored
  })

  const list = pagedQuery(sql, {
    Result: Stored,
    columns,
    from: ({ customerID, search }: { readonly customerID: CustomerID; readonly search: string | undefined }) =>
      sql`place_description_report where ${sql.and([
        sql`customer_id = ${customerID}`,
        holdsAll(sql, "search_text", spelledPatterns(search))
      ])}`,
    sortBy: {
      placeDescriptionReportID: "place_description_report_id",
      customerID: "customer_id",
      createdByCustomerRepID: "created_by_customer_rep_id",
      customerRepID: "customer_rep_id",
      clientNames: ignoringCase("client_names"),
      caseNumber: ignoringCase("case_number"),
      description: ignoringCase("description"),
      landlords: ignoringCase("landlords"),
      tenants: ignoringCase("tenants"),
      address: ignoringCase("address"),
      reportDate: "report_date",
      lexiconDocumentID: "lexicon_document_id",
      instructionsDocumentID: "instructions_document_id",
      transformTopicID: "transform_topic_id",
      heroPhotoAccessToken: heroToken,
      dateCreatedUtc: "created_at",
      dateUpdatedUtc: "modified_at"
    },
    optional: [
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
      "heroPhotoAccessToken"
    ],
    id: "place_description_report_id",
    paging: reportPaging
  })

  const findPhoto = SqlSchema.findOne({
    Request: Schema.Struct({
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID,
      accessToken: Schema.String
    }),
    Result: Schema.Struct({ photoID: PlaceDescriptionRoomPhotoID }),
    execute: (_) => sql`
      select photo.place_description_room_photo_id as "photoID" from place_description_room_photo photo
      join place_description_room room on room.customer_id = photo.customer_id
        and room.place_description_room_id = photo.place_description_room_id
      where photo.customer_id = ${_.customerID} and room.place_description_report_id = ${_.reportID}
        and photo.access_token = ${_.accessToken}::uuid`
  })

  const touchWhere = (
    customerID: CustomerID,
    reportIs: ReturnType<typeof sql.literal>,
    values: Readonly<Record<string, string | number | null>> = {}
  ) =>
    sql`update place_description_report
      set modified_at = now() ${Object.keys(values).length === 0 ? sql`` : sql`, ${sql.update(values)}`}
      where customer_id = ${customerID} and place_description_report_id = ${reportIs} returning 1`.pipe(
      Effect.map((touched) => touched.length > 0),
      Effect.orDie
    )

  return ReportsRepo.of({
    list: (customerID, query) => list({ customerID, search: query.search }, query),
    find: rows.find,
    insert: (customerID, customerRepID, fields) =>
      rows
        .insert(customerID, {
          ...reportValues(fields),
          created_by_customer_rep_id: customerRepID,
          customer_rep_id: customerRepID
        })
        .pipe(Effect.orDie),
    update: (customerID, reportID, { heroPhotoID, ...change }) =>
      touchWhere(customerID, sql`${reportID}`, {
        ...reportValues(change),
        ...(heroPhotoID !== undefined && { hero_photo_id: heroPhotoID })
      }),
    setHeroPhoto: (customerID, reportID, photoID) =>
      rows.update(customerID, reportID, { hero_photo_id: photoID }).pipe(Effect.asVoid, Effect.orDie),
    findPhoto: (customerID, reportID, accessToken) =>
      findPhoto({ customerID, reportID, accessToken }).pipe(
        Effect.map(Option.map(({ photoID }) => photoID)),
        Effect.orDie
      ),
    delete: rows.delete,
    touch: (customerID, reportID) => touchWhere(customerID, sql`${reportID}`),
    touchOfRoom: (customerID, roomID) =>
      touchWhere(
        customerID,
        sql`(select place_description_report_id from place_description_room
          where customer_id = ${customerID} and place_description_room_id = ${roomID})`
      ),
    touchOfPhoto: (customerID, photoID) =>
      touchWhere(
        customerID,
        sql`(select room.place_description_report_id from place_description_room_photo photo
          join place_description_room room on room.customer_id = photo.customer_id
            and room.place_description_room_id = photo.place_description_room_id
          where photo.customer_id = ${customerID} and photo.place_description_room_photo_id = ${photoID})`
      )
  })
})
