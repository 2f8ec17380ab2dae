import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, PlaceDescriptionRoomID, PlaceDescriptionRoomVersionID } from "../../schema/Ids.ts"
import { mostVersions, PlaceDescriptionRoomVersion } from "../../schema/PlaceDescriptionRooms.ts"

const Row = Schema.Struct({
  ...PlaceDescriptionRoomVersion.fields,
  dateWrittenUtc: Schema.NullOr(Schema.DateTimeUtcFromDate),
  dateReplacedUtc: Schema.DateTimeUtcFromDate
})

const Stored = Schema.transform(Row, Schema.typeSchema(PlaceDescriptionRoomVersion), {
  strict: true,
  decode: (row) => new PlaceDescriptionRoomVersion(row),
  encode: (version) => version
})

export class RoomVersionsRepo extends Context.Tag("casework/RoomVersionsRepo")<
  RoomVersionsRepo,
  {
    /** Lists the newest version first. */
    readonly list: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID
    ) => Effect.Effect<ReadonlyArray<PlaceDescriptionRoomVersion>>
    readonly find: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      versionID: PlaceDescriptionRoomVersionID
    ) => Effect.Effect<Option.Option<PlaceDescriptionRoomVersion>>
    /**
     * Keeps the current HTML of a room, if there is any, and drops the oldest version beyond the limit. Versions by
     * people and by models are limited separately, so that transformations never push out what a person wrote.
     */
    readonly keep: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RoomVersionsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`place_description_room_version_id as "placeDescriptionRoomVersionID",
    place_description_room_id as "placeDescriptionRoomID", transcript_html as "transcriptHtml",
    customer_rep_id as "customerRepID", model_id as "modelIdUsed", written_at as "dateWrittenUtc",
    replaced_at as "dateReplacedUtc"`)
  const Room = Schema.Struct({ customerID: CustomerID, roomID: PlaceDescriptionRoomID })

  const list = SqlSchema.findAll({
    Request: Room,
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from place_description_room_version
      where customer_id = ${_.customerID} and place_description_room_id = ${_.roomID}
      order by place_description_room_version_id desc`
  })
  const find = SqlSchema.findOne({
    Request: Schema.Struct({ ...Room.fields, versionID: PlaceDescriptionRoomVersionID }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from place_description_room_version
      where customer_id = ${_.customerID} and place_description_room_id = ${_.roomID}
        and place_description_room_version_id = ${_.versionID}`
  })

  return RoomVersionsRepo.of({
    list: (customerID, roomID) => list({ customerID, roomID }).pipe(Effect.orDie),
    find: (customerID, roomID, versionID) => find({ customerID, roomID, versionID }).pipe(Effect.orDie),
    keep: (customerID, roomID) =>
      sql`insert into place_description_room_version
          (customer_id, place_description_room_id, transcript_html, written_at, customer_rep_id, model_id)
        select customer_id, place_description_room_id, transcript_html, html_written_at, html_customer_rep_id,
          html_model_id
        from place_description_room
        where customer_id = ${customerID} and place_description_room_id = ${roomID} and transcript_html is not null`.pipe(
        Effect.zipRight(sql`
          delete from place_description_room_version
          where customer_id = ${customerID} and place_description_room_version_id in (
            select place_description_room_version_id from (
              select place_description_room_version_id, row_number() over (
                partition by model_id is null order by place_description_room_version_id desc) as place
              from place_description_room_version
              where customer_id = ${customerID} and place_description_room_id = ${roomID}) kept
            where place > ${mostVersions})`),
        Effect.asVoid,
        Effect.orDie
      )
  })
})
