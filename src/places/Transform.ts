import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadGateway, BadRequest, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionRoomID } from "../../schema/Ids.ts"
import type { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import { longestHtml, type TransformRequest, TransformResult } from "../../schema/PlaceDescriptionRooms.ts"
import { type AiAnswer, AiProvider } from "../ai/AiProvider.ts"
import { callWith } from "../ai/prompts/Prompt.ts"
import { transformPrompt } from "../ai/prompts/Transform.ts"
import { ModelsRepo } from "../customers/ModelsRepo.ts"
import { fillText } from "../documents/Placeholders.ts"
import { PlaceholderValues } from "../documents/PlaceholderValues.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotoBytes } from "./PhotoBytes.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { htmlOfAnswer } from "./RoomHtml.ts"
import { missingRoom } from "./Rooms.ts"
import { RoomsRepo } from "./RoomsRepo.ts"
import { RoomVersionsRepo } from "./RoomVersionsRepo.ts"
import { overrideProblem } from "./TransformModel.ts"
import { type Guide, TransformRepo } from "./TransformRepo.ts"

/** Writes a room's HTML from its notes by AI. */
export class Transform extends Context.Tag("casework/Transform")<
  Transform,
  {
    readonly run: (
      roomID: PlaceDescriptionRoomID,
      request: TransformRequest
    ) => Effect.Effect<TransformResult, NotFound | BadRequest | BadGateway, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Transform,
    Effect.suspend(() => make)
  )
}

/** The topic that is tried when neither the request nor the report names one. */
export const fallbackTopic = "Place description Room"

const whenSlow =
  "The notes may be too long for one call: make them shorter, or divide them among several rooms, and try again."

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ai = yield* AiProvider
  const models = yield* ModelsRepo
  const placeholders = yield* PlaceholderValues
  const photoBytes = yield* PhotoBytes
  const reports = yield* ReportsRepo
  const rooms = yield* RoomsRepo
  const versions = yield* RoomVersionsRepo
  const repo = yield* TransformRepo

  const topicOf = fn("Transform.topicOf")(function* (
    customerID: CustomerID,
    { topicId }: TransformRequest,
    { transformTopicID }: PlaceDescriptionReport
  ) {
    if (topicId !== undefined) {
      const own = yield* repo.findTopic(customerID, topicId)
      return Option.isSome(own) ? own.value : yield* BadRequest.at("topicId", "is not one of your topics")
    }
    if (transformTopicID !== null) return transformTopicID
    const named = yield* repo.findTopicNamed(customerID, fallbackTopic)
    return Option.isSome(named)
      ? named.value
      : yield* BadRequest.of(
          `There is no topic for this: give topicId, set the report's transformTopicID, or make a topic named ${fallbackTopic}.`
        )
  })

  const checkModel = fn("Transform.checkModel")(function* (customerID: CustomerID, request: TransformRequest) {
    if (request.overrideModelId === undefined) return
    const problem = overrideProblem(request, yield* models.listUsable(customerID))
    if (problem !== undefined) return yield* BadRequest.at("overrideModelId", problem)
  })

  /** A document's text as the prompt needs it. */
  const filled = fn("Transform.filled")(function* (customerID: CustomerID, guides: ReadonlyArray<Guide>) {
    const values = yield* placeholders.of(
      customerID,
      guides.map(({ content }) => content)
    )
    return guides.map((guide) => ({ ...guide, content: fillText(guide.content, values) }))
  })

  const guideOf = fn("Transform.guideOf")(function* (
    customerID: CustomerID,
    documentID: PlaceDescriptionReport["lexiconDocumentID"]
  ) {
    const found = documentID === null ? Option.none() : yield* repo.findGuide(customerID, documentID)
    return yield* filled(customerID, Option.toArray(found))
  })

  /** What a short transaction is enough for, however long the model took. */
  const store = fn("Transform.store")(
    function* (roomID: PlaceDescriptionRoomID, html: string, { modelID }: AiAnswer<string>) {
      const { customerID, customerRepID } = yield* CurrentRep
      yield* reports.touchOfRoom(customerID, roomID).pipe(changedOrNotFound(missingRoom(roomID)))
      // Who waited for its deletion has touched only the report.
      yield* rooms.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))
      yield* versions.keep(customerID, roomID)
      yield* rooms.writeHtml(customerID, roomID, html, { customerRepID, modelID })
      return yield* rooms.noteTransformation(customerID, roomID)
    },
    sql.withTransaction,
    Effect.catchTag("SqlError", Effect.die)
  )

  return Transform.of({
    run: fn("Transform.run")(function* (roomID, request) {
      const { customerID } = yield* CurrentRep
      const room = yield* rooms.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))
      const report = yield* reports
        .find(customerID, room.placeDescriptionReportID)
        .pipe(orNotFound(missingRoom(roomID)))
      const transcript = room.transcriptRaw?.trim() ?? ""
      if (transcript === "") return yield* BadRequest.of("The room has no transcriptRaw to transform.")
      yield* checkModel(customerID, request)
      const topicID = yield* topicOf(customerID, request, report)
      const guides = yield* filled(customerID, yield* repo.guidesOf(customerID, topicID))
      const instructions = yield* guideOf(customerID, report.instructionsDocumentID)
      const lexicon = yield* guideOf(customerID, report.lexiconDocumentID)
      const withPhotos = request.includePhotosInPrompt === true
      const images = withPhotos ? yield* photoBytes.forPrompt(customerID, roomID) : []
      const call = yield* callWith(
        transformPrompt,
        {
          roomName: room.name,
          transcript,
          guides: guides.map(({ content, title }) => ({ title, content })),
          instructions: instructions[0]?.content ?? null,
          lexicon: lexicon[0]?.content ?? null,
          photos: images.length
        },
        {
          customerID,
          slot: withPhotos ? "EmailVision" : "EmailText",
          ...(request.overrideModelId !== undefined && { modelID: request.overrideModelId }),
          documents: [...guides, ...instructions, ...lexicon].map(({ documentID, version }) => ({
            documentID,
            version
          }))
        }
      )
      const answer = yield* ai.text({ ...call, whenSlow, ...(images.length > 0 && { images }) })
      const html = htmlOfAnswer(answer.value)
      if (html === "") return yield* BadGateway.of("The AI model answered no text. Nothing was changed; try again.")
      if (html.length > longestHtml) {
        return yield* BadGateway.of("The AI model answered more than a room can hold. Nothing was changed; try again.")
      }
      const lastTransformedAtUtc = yield* store(roomID, html, answer)
      return new TransformResult({
        roomId: roomID,
        transcriptHtml: html,
        lastTransformedAtUtc,
        modelIdUsed: answer.modelID
      })
    })
  })
})
