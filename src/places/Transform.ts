import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadGateway, BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, PlaceDescriptionRoomID, TopicID } from "../../schema/Ids.ts"
import type { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import { longestHtml, type TransformRequest, TransformResult } from "../../schema/PlaceDescriptionRooms.ts"
import type { ModelChoice } from "../ai/AiCall.ts"
import { type AiAnswer, AiProvider } from "../ai/AiProvider.ts"
import { callWith } from "../ai/prompts/Prompt.ts"
import { longestGuides, transformPrompt } from "../ai/prompts/Transform.ts"
import { ModelsRepo } from "../customers/ModelsRepo.ts"
import { fillText } from "../documents/Placeholders.ts"
import { PlaceholderValues } from "../documents/PlaceholderValues.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PhotoBytes } from "./PhotoBytes.ts"
import { ReportsRepo } from "./ReportsRepo.ts"
import { htmlOfAnswer, isTooMuchForRoom } from "./RoomHtml.ts"
import { missingRoom } from "./Rooms.ts"
import { RoomsRepo, type StoredRoom } from "./RoomsRepo.ts"
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
    ) => Effect.Effect<TransformResult, NotFound | BadRequest | Conflict | BadGateway, CurrentRep>
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
  "The notes may be too long for one call: make them shorter, or split them between several rooms, and try again."

/** Says that the documents are too long together; undefined when none of them would have to be cut. */
const tooLongTogether = (documents: ReadonlyArray<Guide>) => {
  const length = documents.reduce((sum, { content }) => sum + content.length, 0)
  if (length <= longestGuides) return undefined
  const [longest] = [...documents].sort((a, b) => b.content.length - a.content.length)
  const inWords = (count: number) => count.toLocaleString("en")
  return `The topic's documents, the instructions and the lexicon have ${inWords(length)} characters in total, with their placeholders filled; a transformation accepts at most ${inWords(longestGuides)}. The longest is document ${longest?.documentID}, “${longest?.title}”, with ${inWords(longest?.content.length ?? 0)}.`
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
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
    const chosen = topicId ?? transformTopicID
    if (chosen !== null) return chosen
    const named = yield* repo.findTopicNamed(customerID, fallbackTopic)
    return Option.isSome(named)
      ? named.value
      : yield* BadRequest.of(
          `There is no topic to use: send topicId, set the report's transformTopicID, or create a topic named ${fallbackTopic}.`
        )
  })

  const checkIds = fn("Transform.checkIds")(function* (customerID: CustomerID, request: TransformRequest) {
    const { overrideModelId, topicId } = request
    const isForeign = topicId !== undefined && Option.isNone(yield* repo.findTopic(customerID, topicId))
    const ofModel =
      overrideModelId === undefined ? undefined : overrideProblem(request, yield* models.listUsable(customerID))
    const problems = [
      ...(isForeign ? [{ path: "topicId", message: "is not one of your topics" }] : []),
      ...(ofModel === undefined ? [] : [{ path: "overrideModelId", message: ofModel }])
    ]
    if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
  })

  const find = (customerID: CustomerID, documentID: PlaceDescriptionReport["lexiconDocumentID"]) =>
    documentID === null
      ? Effect.succeed([])
      : Effect.map(repo.findGuide(customerID, documentID), (found) => Option.toArray(found))

  /** The documents that go into the prompt, with their placeholders filled. */
  const documentsFor = fn("Transform.documentsFor")(function* (
    customerID: CustomerID,
    topicID: TopicID,
    report: PlaceDescriptionReport
  ) {
    const guides = yield* repo.guidesOf(customerID, topicID)
    const instructions = yield* find(customerID, report.instructionsDocumentID)
    const lexicon = yield* find(customerID, report.lexiconDocumentID)
    const texts = [...guides, ...instructions, ...lexicon].map(({ content }) => content)
    const values = yield* placeholders.of(customerID, texts)
    const filled = (documents: ReadonlyArray<Guide>) =>
      documents.map((document) => ({ ...document, content: fillText(document.content, values) }))
    const all = { guides: filled(guides), instructions: filled(instructions), lexicon: filled(lexicon) }
    const problem = tooLongTogether([...all.guides, ...all.instructions, ...all.lexicon])
    if (problem !== undefined) return yield* BadRequest.of(problem)
    return all
  })

  /** Returns the room's photos, after a check that a model can look at them. They are held until the scope closes. */
  const photosFor = fn("Transform.photosFor")(function* (choice: ModelChoice, roomID: PlaceDescriptionRoomID) {
    // Checked even for a room without photos: the caller learns at once that no model can look at pictures.
    yield* ai.check({ ...choice, withImages: true })
    const weight = yield* photoBytes.weigh(choice.customerID, roomID)
    if (weight.count === 0) return []
    return yield* photoBytes.forPrompt(choice.customerID, roomID, weight)
  })

  /** Stores the result in a short transaction, however long the model took. */
  const store = fn("Transform.store")(function* (
    { placeDescriptionRoomID: roomID, transcriptRaw }: StoredRoom,
    html: string,
    { modelID }: AiAnswer<string>
  ) {
    const { customerID, customerRepID } = yield* CurrentRep
    yield* reports.touchOfRoom(customerID, roomID).pipe(changedOrNotFound(missingRoom(roomID)))
    // Read again: if the room was deleted while this transaction waited, only the report has been touched.
    const now = yield* rooms.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))
    // The HTML would seem to match the new notes, and the document shows it instead of them.
    if (now.transcriptRaw !== transcriptRaw) {
      return yield* Conflict.of(
        "The notes were changed while the AI model was writing, so its text was not stored. Try again."
      )
    }
    const { modelIdUsed, transcriptHtml } = now
    if (html !== transcriptHtml) yield* versions.keep(customerID, roomID)
    // The same text written by a person stays that person's, so that it is kept as such when it is replaced.
    const isAPersons = html === transcriptHtml && modelIdUsed === null
    if (!isAPersons) yield* rooms.writeHtml(customerID, roomID, html, { customerRepID, modelID })
    return yield* rooms.noteTransformation(customerID, roomID)
  }, inTransaction)

  return Transform.of({
    run: fn("Transform.run")(function* (roomID, request) {
      const { customerID } = yield* CurrentRep
      const room = yield* rooms.find(customerID, roomID).pipe(orNotFound(missingRoom(roomID)))
      const report = yield* reports
        .find(customerID, room.placeDescriptionReportID)
        .pipe(orNotFound(missingRoom(roomID)))
      const transcript = room.transcriptRaw?.trim() ?? ""
      if (transcript === "") return yield* BadRequest.of("The room has no transcriptRaw to transform.")
      yield* checkIds(customerID, request)
      const topicID = yield* topicOf(customerID, request, report)
      const { guides, instructions, lexicon } = yield* documentsFor(customerID, topicID, report)
      const withPhotos = request.includePhotosInPrompt === true
      const choice = {
        customerID,
        slot: withPhotos ? "EmailVision" : "EmailText",
        ...(request.overrideModelId !== undefined && { modelID: request.overrideModelId })
      } as const
      const images = withPhotos ? yield* photosFor(choice, roomID) : []
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
          ...choice,
          roomID,
          documents: [...guides, ...instructions, ...lexicon].map(({ documentID, version }) => ({
            documentID,
            version
          }))
        }
      )
      const answer = yield* ai.text({ ...call, whenSlow, ...(images.length > 0 && { images }) })
      const html = htmlOfAnswer(answer.value)
      if (html === "") return yield* BadGateway.of("The AI model returned no text. Nothing was changed; try again.")
      if (html.length > longestHtml || isTooMuchForRoom(answer.value) || isTooMuchForRoom(html)) {
        return yield* BadGateway.of(
          "The AI model returned more text than a room can hold. Nothing was changed; try again."
        )
      }
      const lastTransformedAtUtc = yield* store(room, html, answer)
      return new TransformResult({
        roomId: roomID,
        transcriptHtml: html,
        lastTransformedAtUtc,
        modelIdUsed: answer.modelID
      })
    }, Effect.scoped)
  })
})
