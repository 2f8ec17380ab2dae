import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ReportAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { BadGateway, Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, clearable, Integer, optional, TextUpTo } from "./Fields.ts"
import {
  CustomerRepID,
  ModelID,
  namedPathId,
  PlaceDescriptionReportID,
  PlaceDescriptionRoomID,
  PlaceDescriptionRoomVersionID,
  TopicID
} from "./Ids.ts"
import { PlaceDescriptionRoomPhoto } from "./PlaceDescriptionPhotos.ts"

const text = Schema.NullOr(Schema.String)

export class PlaceDescriptionRoom extends Schema.Class<PlaceDescriptionRoom>("PlaceDescriptionRoom")({
  placeDescriptionRoomID: PlaceDescriptionRoomID,
  placeDescriptionReportID: PlaceDescriptionReportID,
  name: text,
  sortOrder: Schema.Int,
  transcriptRaw: text.annotations({ description: "Raw notes, the input of a transformation" }),
  transcriptHtml: text.annotations({ description: "Headings, paragraphs, lists, tables, emphasis and review marks" }),
  lastTransformedAtUtc: Schema.NullOr(Schema.DateTimeUtc),
  modelIdUsed: Schema.NullOr(ModelID).annotations({
    description: "The model that wrote transcriptHtml; null if a person did"
  }),
  photos: Schema.Array(PlaceDescriptionRoomPhoto)
}) {}

/** The limit for the request and for the stored HTML. */
export const longestHtml = 500_000

/** The limit per room, separately for versions by people and by models. */
export const mostVersions = 50

const written = {
  name: emptyAsNull(TextUpTo(255)).annotations({ examples: ["Kitchen"] }),
  sortOrder: Integer.annotations({ examples: [1] }),
  transcriptRaw: emptyAsNull(TextUpTo(200_000)).annotations({
    examples: ["walls white, two drill holes by the window, sink scratched"]
  }),
  transcriptHtml: emptyAsNull(TextUpTo(longestHtml)).annotations({ examples: ["<p>The walls are painted white.</p>"] })
}

export const PlaceDescriptionRoomCreate = Body("PlaceDescriptionRoomCreate", {
  name: optional(written.name),
  sortOrder: optional(written.sortOrder),
  transcriptRaw: optional(written.transcriptRaw),
  transcriptHtml: optional(written.transcriptHtml)
})
export type PlaceDescriptionRoomCreate = typeof PlaceDescriptionRoomCreate.Type

export const PlaceDescriptionRoomUpdate = Body("PlaceDescriptionRoomUpdate", {
  name: clearable(written.name),
  sortOrder: changeable(written.sortOrder),
  transcriptRaw: clearable(written.transcriptRaw),
  transcriptHtml: clearable(written.transcriptHtml)
})
export type PlaceDescriptionRoomUpdate = typeof PlaceDescriptionRoomUpdate.Type

export const TransformRequest = Body("PlaceDescriptionTransformRequest", {
  topicId: optional(TopicID),
  includePhotosInPrompt: optional(Schema.Boolean).annotations({
    description: "Passes the room's photos to the model, which must accept pictures"
  }),
  overrideModelId: optional(ModelID),
  force: optional(Schema.Boolean).annotations({ description: "Accepted but ignored: every call transforms" })
})
export type TransformRequest = typeof TransformRequest.Type

export class TransformResult extends Schema.Class<TransformResult>("PlaceDescriptionTransformResult")({
  roomId: PlaceDescriptionRoomID,
  transcriptHtml: Schema.String,
  lastTransformedAtUtc: Schema.DateTimeUtc,
  modelIdUsed: ModelID
}) {}

export class PlaceDescriptionRoomVersion extends Schema.Class<PlaceDescriptionRoomVersion>(
  "PlaceDescriptionRoomVersion"
)({
  placeDescriptionRoomVersionID: PlaceDescriptionRoomVersionID,
  placeDescriptionRoomID: PlaceDescriptionRoomID,
  transcriptHtml: Schema.String,
  customerRepID: Schema.NullOr(CustomerRepID).annotations({
    description: "Who wrote it, or started the transformation"
  }),
  modelIdUsed: Schema.NullOr(ModelID).annotations({ description: "The model that wrote it; null if a person did" }),
  dateWrittenUtc: Schema.NullOr(Schema.DateTimeUtc),
  dateReplacedUtc: Schema.DateTimeUtc
}) {}

const roomId = namedPathId("roomId", PlaceDescriptionRoomID)
const reportId = namedPathId("reportId", PlaceDescriptionReportID)
const versionId = namedPathId("versionId", PlaceDescriptionRoomVersionID)

export class PlaceDescriptionRoomsApi extends HttpApiGroup.make("placeDescriptionRooms")
  .add(
    HttpApiEndpoint.get("listPlaceDescriptionRooms")`/api/PlaceDescriptionReports/${reportId}/rooms`
      .addSuccess(Schema.Array(PlaceDescriptionRoom))
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "List a report's rooms", description: "Sorted by sortOrder, then room id." })
      )
  )
  .add(
    HttpApiEndpoint.post("createPlaceDescriptionRoom")`/api/PlaceDescriptionReports/${reportId}/rooms`
      .setPayload(PlaceDescriptionRoomCreate)
      .addSuccess(PlaceDescriptionRoom)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Add a room to a report",
          description:
            "Without sortOrder the room comes last. transcriptHtml is reduced to headings, paragraphs, lists, tables, emphasis and review marks; other block elements become paragraphs, and superscript and subscript numbers become characters such as ² and ₂. Returns 400 if it is too long after that, or has more than 10,000 tags. HTML without any text counts as null."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getPlaceDescriptionRoom")`/api/PlaceDescriptionRooms/${roomId}`
      .addSuccess(PlaceDescriptionRoom)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a room", description: "One room with its photos, and its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.put("updatePlaceDescriptionRoom")`/api/PlaceDescriptionRooms/${roomId}`
      .setPayload(PlaceDescriptionRoomUpdate)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a room",
          description:
            "Missing properties stay unchanged. A transcriptHtml that is replaced or cleared is kept as a version; the new one is reduced as on create."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deletePlaceDescriptionRoom")`/api/PlaceDescriptionRooms/${roomId}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Delete a room", description: "Deletes its photos and its versions as well." })
      )
  )
  .add(
    HttpApiEndpoint.post("transformPlaceDescriptionRoom")`/api/PlaceDescriptionRooms/${roomId}/transform`
      .setPayload(TransformRequest)
      .addSuccess(TransformResult)
      .addError(NotFound)
      .addError(Conflict)
      .addError(BadGateway)
      .annotateContext(
        OpenApi.annotations({
          summary: "Write a room's HTML by AI",
          description:
            "Turns transcriptRaw into transcriptHtml. The topic is topicId, else the report's transformTopicID, else the topic named “Place description Room”; the prompt consists of its documents, the report's lexicon and instructions documents, the room's name and its notes. Documents are sent in full, but nothing is sent of those that retrieve data. The model is overrideModelId (active, suitable for mail), else the default for mail, or for mail with pictures with includePhotosInPrompt. Doubtful passages are returned as review marks. The previous HTML is kept as a version. Returns 400 without notes, a topic, a key or a model, with a model that accepts no pictures although they are requested, when the documents together have more than 200,000 characters, or when the photos exceed 32 MiB; 409 when the notes are changed while the model writes; 502 when the provider fails or does not respond in time, which is not retried (the notes may be too long for one call), and then nothing changes; 502 also when the result is too long for a room. Idempotency-Key is ignored."
        })
      )
      .annotateContext(ignoresIdempotencyKey)
  )
  .add(
    HttpApiEndpoint.get("listPlaceDescriptionRoomVersions")`/api/PlaceDescriptionRooms/${roomId}/versions`
      .addSuccess(Schema.Array(PlaceDescriptionRoomVersion))
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "List a room's earlier HTML",
          description: `Every transcriptHtml that was replaced, by a person or by a transformation, latest first. The last ${mostVersions} versions by people and the last ${mostVersions} by a model are kept, so that transformations never push out what a person wrote. A transformation that produces the same text again creates no version.`
        })
      )
  )
  .add(
    HttpApiEndpoint.post(
      "restorePlaceDescriptionRoomVersion"
    )`/api/PlaceDescriptionRooms/${roomId}/versions/${versionId}/restore`
      .addSuccess(PlaceDescriptionRoom)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Restore earlier HTML",
          description:
            "The version becomes the room's transcriptHtml again, and the replaced HTML is kept as a version. The restored version itself is kept too, unless it was the oldest one kept of its kind."
        })
      )
  )
  .middleware(ReportAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Condition report rooms", description: "The rooms of a report and their text." })
  ) {}
