import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, type DateTime, Effect, Layer, type Option, Schema, Struct } from "effect"
import {
  CustomerID,
  type CustomerRepID,
  type ModelID,
  PlaceDescriptionReportID,
  PlaceDescriptionRoomID
} from "../../schema/Ids.ts"
import { PlaceDescriptionRoom } from "../../schema/PlaceDescriptionRooms.ts"
import { ownRows } from "../platform/database/OwnRows.ts"

const Stored = Schema.Struct({
  ...Struct.omit(PlaceDescriptionRoom.fields, "photos"),
  lastTransformedAtUtc: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type StoredRoom = typeof Stored.Type

interface RoomFields {
  readonly name: string | null
  readonly sortOrder: number
  readonly transcriptRaw: string | null
}

/** Who wrote a room's HTML, and with which model. */
export interface Author {
  readonly customerRepID: CustomerRepID
  readonly modelID: ModelID | null
}

export class RoomsRepo extends Context.Tag("casework/RoomsRepo")<
  RoomsRepo,
  {
    readonly list: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<ReadonlyArray<StoredRoom>>
    readonly find: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<Option.Option<StoredRoom>>
    /** The sort order after a report's last room. */
    readonly nextOrder: (customerID: CustomerID, reportID: PlaceDescriptionReportID) => Effect.Effect<number>
    readonly insert: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID,
      fields: RoomFields
    ) => Effect.Effect<StoredRoom>
    readonly update: (customerID: CustomerID, roomID: PlaceDescriptionRoomID, fields: RoomFields) => Effect.Effect<void>
    readonly writeHtml: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      html: string | null,
      author: Author
    ) => Effect.Effect<void>
    /** Notes the current time as the last transformation and returns it. */
    readonly noteTransformation: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<DateTime.Utc>
    readonly delete: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    RoomsRepo,
    Effect.suspend(() => make)
  )
}

const highestOrder = 2 ** 31 - 1

const valuesOf = ({ name, sortOrder, transcriptRaw }: RoomFields) => ({
  name,
  sort_order: sortOrder,
  transcript_raw: transcriptRaw
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`place_description_room_id as "placeDescriptionRoomID",
    place_description_report_id as "placeDescriptionReportID", name, sort_order as "sortOrder",
    transcript_raw as "transcriptRaw", transcript_html as "transcriptHtml",
    last_transformed_at as "lastTransformedAtUtc", html_model_id as "modelIdUsed"`)
  const rows = ownRows(sql, {
    table: "place_description_room",
    key: "place_description_room_id",
    columns,
    Result: Stored
  })

  const list = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, reportID: PlaceDescriptionReportID }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from place_description_room
      where customer_id = ${_.customerID} and place_description_report_id = ${_.reportID}
      order by sort_order, place_description_room_id`
  })

  const nextOrder = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, reportID: PlaceDescriptionReportID }),
    Result: Schema.Struct({ next: Schema.Int }),
    execute: (_) => sql`
      select least(greatest(coalesce(max(sort_order), 0), 0)::bigint + 1, ${highestOrder})::int as next
      from place_description_room
      where customer_id = ${_.customerID} and place_description_report_id = ${_.reportID}`
  })

  const noteTransformation = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, roomID: PlaceDescriptionRoomID }),
    Result: Schema.Struct({ at: Schema.DateTimeUtcFromDate }),
    execute: (_) => sql`
      update place_description_room set last_transformed_at = now()
      where customer_id = ${_.customerID} and place_description_room_id = ${_.roomID}
      returning last_transformed_at as at`
  })

  return RoomsRepo.of({
    list: (customerID, reportID) => list({ customerID, reportID }).pipe(Effect.orDie),
    nextOrder: (customerID, reportID) =>
      nextOrder({ customerID, reportID }).pipe(
        Effect.map(({ next }) => next),
        Effect.orDie
      ),
    find: rows.find,
    insert: (customerID, reportID, fields) =>
      rows.insert(customerID, { place_description_report_id: reportID, ...valuesOf(fields) }).pipe(Effect.orDie),
    update: (customerID, roomID, fields) =>
      rows.update(customerID, roomID, valuesOf(fields)).pipe(Effect.asVoid, Effect.orDie),
    writeHtml: (customerID, roomID, html, { customerRepID, modelID }) =>
      sql`update place_description_room set transcript_html = ${html}, html_written_at = now(),
          html_customer_rep_id = ${customerRepID}, html_model_id = ${modelID}::int
        where customer_id = ${customerID} and place_description_room_id = ${roomID}`.pipe(Effect.asVoid, Effect.orDie),
    noteTransformation: (customerID, roomID) =>
      noteTransformation({ customerID, roomID }).pipe(
        Effect.map(({ at }) => at),
        Effect.orDie
      ),
    delete: rows.delete
  })
})
