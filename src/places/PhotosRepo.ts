import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import {
  CustomerID,
  PlaceDescriptionReportID,
  PlaceDescriptionRoomID,
  type PlaceDescriptionRoomPhotoID
} from "../../schema/Ids.ts"
import { PlaceDescriptionRoomPhoto } from "../../schema/PlaceDescriptionPhotos.ts"
import { BlobID } from "../files/BlobStore.ts"
import { ownRows } from "../platform/database/OwnRows.ts"

const Row = Schema.Struct({
  ...PlaceDescriptionRoomPhoto.fields,
  dateCreatedUtc: Schema.DateTimeUtcFromDate,
  blobID: BlobID
})

/** A photo as stored, including its blob, which callers never see. */
export class StoredPhoto extends PlaceDescriptionRoomPhoto.extend<StoredPhoto>("StoredPhoto")({ blobID: BlobID }) {}

const Stored = Schema.transform(Row, Schema.typeSchema(StoredPhoto), {
  strict: true,
  decode: (row) => new StoredPhoto(row),
  encode: (photo) => photo
})

export const NewPhoto = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  widthPx: Schema.Int,
  heightPx: Schema.Int,
  blobID: BlobID
})
export type NewPhoto = typeof NewPhoto.Type

const Downloadable = Schema.Struct({
  customerID: CustomerID,
  blobID: BlobID,
  fileName: Schema.String,
  contentType: Schema.String,
  size: Schema.NumberFromString
})
type DownloadablePhoto = typeof Downloadable.Type

export class PhotosRepo extends Context.Tag("casework/PhotosRepo")<
  PhotosRepo,
  {
    readonly list: (customerID: CustomerID, roomID: PlaceDescriptionRoomID) => Effect.Effect<ReadonlyArray<StoredPhoto>>
    readonly listOfReport: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<ReadonlyArray<StoredPhoto>>
    readonly blobsOfReport: (
      customerID: CustomerID,
      reportID: PlaceDescriptionReportID
    ) => Effect.Effect<ReadonlyArray<BlobID>>
    /** Returns how many photos a room has, and their total size in bytes. */
    readonly weigh: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID
    ) => Effect.Effect<{ readonly count: number; readonly bytes: number }>
    readonly find: (
      customerID: CustomerID,
      photoID: PlaceDescriptionRoomPhotoID
    ) => Effect.Effect<Option.Option<StoredPhoto>>
    /** Finds a photo of any customer: the token alone identifies it. */
    readonly findByToken: (accessToken: string) => Effect.Effect<Option.Option<DownloadablePhoto>>
    /** Appends them after the room's last photo, in the given order. */
    readonly append: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      photos: ReadonlyArray<NewPhoto>
    ) => Effect.Effect<ReadonlyArray<StoredPhoto>>
    readonly setOrder: (
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      photoIDs: ReadonlyArray<PlaceDescriptionRoomPhotoID>
    ) => Effect.Effect<void>
    readonly delete: (customerID: CustomerID, photoID: PlaceDescriptionRoomPhotoID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    PhotosRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`place_description_room_photo_id as "placeDescriptionRoomPhotoID",
    place_description_room_id as "placeDescriptionRoomID", file_name as "fileName", content_type as "contentType",
    access_token::text as "accessToken", sort_order as "sortOrder", width_px as "widthPx", height_px as "heightPx",
    created_at as "dateCreatedUtc", blob_id as "blobID"`)
  const inOrder = sql.literal("sort_order, place_description_room_photo_id")
  const rows = ownRows(sql, {
    table: "place_description_room_photo",
    key: "place_description_room_photo_id",
    columns,
    Result: Stored
  })

  const list = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, roomID: PlaceDescriptionRoomID }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from place_description_room_photo
      where customer_id = ${_.customerID} and place_description_room_id = ${_.roomID} order by ${inOrder}`
  })
  const append = SqlSchema.findAll({
    Request: Schema.Struct({
      customerID: CustomerID,
      roomID: PlaceDescriptionRoomID,
      photos: Schema.parseJson(Schema.Array(NewPhoto))
    }),
    Result: Stored,
    execute: (_) => sql`
      insert into place_description_room_photo (customer_id, place_description_room_id, file_name, content_type,
        sort_order, width_px, height_px, blob_id)
      select ${_.customerID}, ${_.roomID}, photo."fileName", photo."contentType", there.last + photo.position,
        photo."widthPx", photo."heightPx", photo."blobID"
      from rows from (jsonb_to_recordset(${_.photos}::jsonb)
          as ("fileName" text, "contentType" text, "widthPx" int, "heightPx" int, "blobID" uuid))
        with ordinality photo ("fileName", "contentType", "widthPx", "heightPx", "blobID", position),
        (select coalesce(max(sort_order), 0) as last from place_description_room_photo
          where customer_id = ${_.customerID} and place_description_room_id = ${_.roomID}) there
      order by photo.position
      returning ${columns}`
  })
  const listOfReport = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, reportID: PlaceDescriptionReportID }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from place_description_room_photo
      where customer_id = ${_.customerID} and place_description_room_id in (
        select place_description_room_id from place_description_room
        where customer_id = ${_.customerID} and place_description_report_id = ${_.reportID})
      order by ${inOrder}`
  })
  const blobsOfReport = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, reportID: PlaceDescriptionReportID }),
    Result: Schema.Struct({ blobID: BlobID }),
    execute: (_) => sql`
      select photo.blob_id as "blobID" from place_description_room_photo photo
      join place_description_room room on room.customer_id = photo.customer_id
        and room.place_description_room_id = photo.place_description_room_id
      where photo.customer_id = ${_.customerID} and room.place_description_report_id = ${_.reportID}`
  })
  const weigh = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, roomID: PlaceDescriptionRoomID }),
    Result: Schema.Struct({ count: Schema.Int, bytes: Schema.Number }),
    execute: (_) => sql`
      select count(*)::int as count, coalesce(sum(blob.size), 0)::float8 as bytes
      from place_description_room_photo photo
      join blob on blob.customer_id = photo.customer_id and blob.blob_id = photo.blob_id
      where photo.customer_id = ${_.customerID} and photo.place_description_room_id = ${_.roomID}`
  })
  const findByToken = SqlSchema.findOne({
    Request: Schema.String,
    Result: Downloadable,
    execute: (accessToken) => sql`
      /* all customers: the token is the credential */
      select photo.customer_id as "customerID", photo.blob_id as "blobID", file_name as "fileName",
        content_type as "contentType", size::text as size
      from place_description_room_photo photo
      join blob on blob.customer_id = photo.customer_id and blob.blob_id = photo.blob_id
      where access_token = ${accessToken}::uuid`
  })

  return PhotosRepo.of({
    list: (customerID, roomID) => list({ customerID, roomID }).pipe(Effect.orDie),
    listOfReport: (customerID, reportID) => listOfReport({ customerID, reportID }).pipe(Effect.orDie),
    blobsOfReport: (customerID, reportID) =>
      blobsOfReport({ customerID, reportID }).pipe(
        Effect.map((photos) => photos.map(({ blobID }) => blobID)),
        Effect.orDie
      ),
    weigh: (customerID, roomID) => weigh({ customerID, roomID }).pipe(Effect.orDie),
    find: rows.find,
    findByToken: (accessToken) => findByToken(accessToken).pipe(Effect.orDie),
    append: (customerID, roomID, photos) => append({ customerID, roomID, photos }).pipe(Effect.orDie),
    setOrder: (customerID, roomID, photoIDs) =>
      sql`update place_description_room_photo photo set sort_order = wanted.position
        from unnest(${[...photoIDs]}::int[]) with ordinality wanted (id, position)
        where photo.customer_id = ${customerID} and photo.place_description_room_id = ${roomID}
          and photo.place_description_room_photo_id = wanted.id`.pipe(Effect.asVoid, Effect.orDie),
    delete: rows.delete
  })
})
