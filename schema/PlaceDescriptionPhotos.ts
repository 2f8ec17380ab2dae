import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, Multipart, OpenApi } from "@effect/platform"
import { Option, Schema } from "effect"
import { ReportAccess } from "./Authentication.ts"
import { NotFound, PayloadTooLarge, RangeNotSatisfiable, UnsupportedMediaType } from "./Errors.ts"
import { Body, changeable, ListUpTo } from "./Fields.ts"
import { namedPathId, PlaceDescriptionRoomID, PlaceDescriptionRoomPhotoID } from "./Ids.ts"

export class PlaceDescriptionRoomPhoto extends Schema.Class<PlaceDescriptionRoomPhoto>("PlaceDescriptionRoomPhoto")({
  placeDescriptionRoomPhotoID: PlaceDescriptionRoomPhotoID,
  placeDescriptionRoomID: PlaceDescriptionRoomID,
  fileName: Schema.String.annotations({ description: "As uploaded" }),
  contentType: Schema.String.annotations({ examples: ["image/jpeg"] }),
  accessToken: Schema.String.annotations({
    description: "A GUID: anyone who has it can download the photo",
    examples: ["6f1c8f1e-4b1e-4d0b-9a53-0d6a0f2f9b11"]
  }),
  sortOrder: Schema.Int,
  widthPx: Schema.Int,
  heightPx: Schema.Int,
  dateCreatedUtc: Schema.DateTimeUtc
}) {}

/** The largest total size of a request with photos. */
const largestUpload = 25 * 1024 * 1024

export const mostPhotosAtOnce = 100

const Upload = HttpApiSchema.MultipartStream(Schema.Struct({ files: Multipart.FilesSchema }), {
  maxParts: Option.some(2 * mostPhotosAtOnce),
  maxFieldSize: 64 * 1024,
  maxTotalSize: Option.some(largestUpload)
})

/** More than a room has. */
const mostPhotosInOrder = 10_000

export const PhotoOrder = Body("PlaceDescriptionPhotoOrder", {
  photoIds: Schema.propertySignature(
    ListUpTo(PlaceDescriptionRoomPhotoID, mostPhotosInOrder).annotations({
      examples: [[PlaceDescriptionRoomPhotoID.make(2), PlaceDescriptionRoomPhotoID.make(1)]]
    })
  ).annotations({ description: "Every photo of the room, exactly once, in the new order" })
})
export type PhotoOrder = typeof PhotoOrder.Type

const PhotoContent = HttpApiSchema.Uint8Array({ contentType: "image/*" })

const header = (description: string, example: string) =>
  changeable(Schema.String.annotations({ examples: [example] })).annotations({ description })

const roomId = namedPathId("roomId", PlaceDescriptionRoomID)

export class PlaceDescriptionPhotosApi extends HttpApiGroup.make("placeDescriptionPhotos")
  .add(
    HttpApiEndpoint.get("listPlaceDescriptionPhotos")`/api/PlaceDescriptionRooms/${roomId}/photos`
      .addSuccess(Schema.Array(PlaceDescriptionRoomPhoto))
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "List a room's photos", description: "In display order." }))
  )
  .add(
    HttpApiEndpoint.post("uploadPlaceDescriptionPhotos")`/api/PlaceDescriptionRooms/${roomId}/photos`
      .setPayload(Upload)
      .addSuccess(Schema.Array(PlaceDescriptionRoomPhoto))
      .addError(NotFound)
      .addError(PayloadTooLarge)
      .addError(UnsupportedMediaType)
      .annotateContext(
        OpenApi.annotations({
          summary: "Add photos to a room",
          description:
            "One or more pictures in the field files, JPEG, PNG or WebP, at most 25 MiB and 100 pictures in total. Each is turned upright, scaled down to fit 2048 × 768 pixels (long × short side, never enlarged), stripped of its metadata and kept in its format; of an animated WebP only the first frame is kept. The photos are appended after the room's last one, and the response lists the new ones. All are accepted or none. A file that is declared as anything else returns 415. Returns 400 for a file that cannot be read as one of them, that has more than 120 million pixels, that is still over 5 MiB after conversion, or that has to be decoded as a whole (a progressive JPEG, an interlaced PNG, a lossless WebP) and is too large for that, which means about 50 million pixels for a progressive JPEG."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("reorderPlaceDescriptionPhotos")`/api/PlaceDescriptionRooms/${roomId}/photos/reorder`
      .setPayload(PhotoOrder)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Reorder a room's photos",
          description:
            "The list must contain every photo of the room exactly once; otherwise returns 400 and nothing changes."
        })
      )
  )
  .add(
    HttpApiEndpoint.del(
      "deletePlaceDescriptionPhoto"
    )`/api/PlaceDescriptionRoomPhotos/${namedPathId("photoId", PlaceDescriptionRoomPhotoID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a photo",
          description: "The others keep their order. A report that used it as its hero photo is left without one."
        })
      )
  )
  .middlewareEndpoints(ReportAccess)
  .add(
    HttpApiEndpoint.get(
      "downloadPlaceDescriptionPhoto"
    )`/api/PlaceDescriptionPhotos/${HttpApiSchema.param("accessToken", Schema.String)}`
      .setHeaders(
        Schema.Struct({
          range: header(
            "One range of bytes; several, or another unit, are answered with the whole photo",
            "bytes=0-499"
          ),
          "if-range": header("An ETag; the range applies only if the photo still has it", '"etag"'),
          "if-none-match": header("An ETag; returns 304 if the photo still has it", '"etag"')
        })
      )
      .addSuccess(PhotoContent.annotations({ description: "The photo" }))
      .addSuccess(PhotoContent.annotations({ description: "The requested range" }), { status: 206 })
      .addSuccess(HttpApiSchema.Empty(304).annotations({ description: "Not changed since the given ETag" }))
      .addError(NotFound)
      .addError(RangeNotSatisfiable)
      .annotateContext(
        OpenApi.annotations({
          summary: "Download a photo",
          description:
            "Needs no login: the access token is the credential. Anything other than a photo's token returns 404."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Condition report photos", description: "The pictures of a room." })) {}
