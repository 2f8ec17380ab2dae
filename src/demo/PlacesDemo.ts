import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { type CustomerID, CustomerRepID, DocumentID, TopicID } from "../../schema/Ids.ts"
import { targetOf } from "../../schema/MappingTarget.ts"
import { mergeDocument } from "../documents/DocumentRules.ts"
import { DocumentsRepo } from "../documents/DocumentsRepo.ts"
import { BlobStore } from "../files/BlobStore.ts"
import { BlobsRepo } from "../files/BlobsRepo.ts"
import { ImageProcessor, type Picture } from "../places/ImageProcessor.ts"
import { type NewPhoto, PhotosRepo } from "../places/PhotosRepo.ts"
import { emptyReport } from "../places/ReportFields.ts"
import { ReportsRepo } from "../places/ReportsRepo.ts"
import { RoomsRepo } from "../places/RoomsRepo.ts"
import { RoomVersionsRepo } from "../places/RoomVersionsRepo.ts"
import { SharpImages } from "../places/SharpImages.ts"
import { fallbackTopic } from "../places/Transform.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TopicDocumentsRepo } from "../topics/TopicDocumentsRepo.ts"
import type { DemoCustomer } from "./DemoContent.ts"
import { drawPicture } from "./DrawPicture.ts"
import { type DemoRoom, demoGuides, demoReports } from "./ReportContent.ts"

type Guide = (typeof demoGuides)["lexicon"]

const Id = Schema.Struct({ id: Schema.Int })

/** The customer's document of that name, created if missing. */
const documentNamed = fn("Demo.documentNamed")(function* (customerID: CustomerID, guide: Guide) {
  const sql = yield* SqlClient.SqlClient
  const documents = yield* DocumentsRepo
  const [known] = yield* sql`
    select document_id as id from document where customer_id = ${customerID} and name = ${guide.name}`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.Array(Id)))
  )
  if (known !== undefined) return DocumentID.make(known.id)
  const fields = mergeDocument({ ...guide, isDataRetrievalProcess: false })
  return (yield* documents.insert(customerID, fields)).documentID
})

const firstAdmin = fn("Demo.firstAdmin")(function* (customerID: CustomerID) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* sql`
    select min(customer_rep_id) as id from customer_rep where customer_id = ${customerID} and role = 'Admin'`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.NonEmptyArray(Id))),
    Effect.map(([row]) => row)
  )
  return CustomerRepID.make(id)
})

const linkGuide = fn("Demo.linkGuide")(function* (customerID: CustomerID, documentID: DocumentID) {
  const sql = yield* SqlClient.SqlClient
  const topics = yield* sql`
    select topic_id as id from topic where customer_id = ${customerID} and name = ${fallbackTopic}`.pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.Array(Id)))
  )
  const links = topics.map(({ id }) => ({
    ...targetOf({ topicID: TopicID.make(id) }),
    documentID,
    relevanceScore: 90
  }))
  yield* (yield* TopicDocumentsRepo).insertNew(customerID, links)
})

const reportOf = ({ hasReports, name }: DemoCustomer) => (hasReports ? demoReports[name] : undefined)

const drawPhoto = fn("Demo.drawPhoto")(function* ({ fileName, svg }: DemoRoom["photos"][number]) {
  return { ...(yield* (yield* ImageProcessor).prepare(yield* drawPicture(svg))), fileName }
})

/** The photos of each room. Drawing takes as long as writing everything else, on another core, so it begins early. */
export const drawPhotos = (customer: DemoCustomer) =>
  Effect.fork(
    Effect.forEach(reportOf(customer)?.rooms ?? [], ({ photos }) =>
      Effect.forEach(photos, drawPhoto, { concurrency: 2 })
    )
  )

const storePhoto = fn("Demo.storePhoto")(function* (
  customerID: CustomerID,
  { bytes, ...picture }: Picture & Pick<NewPhoto, "fileName">
) {
  const blobID = yield* (yield* BlobsRepo).register(customerID, bytes.length)
  yield* (yield* BlobStore).put(customerID, blobID, bytes)
  return { ...picture, blobID } satisfies NewPhoto
})

/** A report with rooms and photos, for customers that have the feature. */
export const makeReports = fn("Demo.makeReports")(function* (
  customerID: CustomerID,
  customer: DemoCustomer,
  drawn: Effect.Effect.Success<ReturnType<typeof drawPhotos>>
) {
  const report = reportOf(customer)
  if (report === undefined) return
  const [reports, rooms, photos] = [yield* ReportsRepo, yield* RoomsRepo, yield* PhotosRepo]
  const customerRepID = yield* firstAdmin(customerID)
  const lexiconDocumentID = yield* documentNamed(customerID, demoGuides.lexicon)
  yield* linkGuide(customerID, yield* documentNamed(customerID, demoGuides.writing))
  const { heroPhoto, rooms: demoRooms, ...fields } = report
  const { placeDescriptionReportID: reportID } = yield* reports.insert(customerID, customerRepID, {
    ...emptyReport,
    ...fields,
    lexiconDocumentID
  })
  const pictures = yield* drawn
  for (const [index, { name, transcriptHtml, transcriptRaw }] of demoRooms.entries()) {
    const room = yield* rooms.insert(customerID, reportID, { name, sortOrder: index + 1, transcriptRaw })
    const roomID = room.placeDescriptionRoomID
    if (index === 0) {
      yield* rooms.writeHtml(customerID, roomID, "<p>First draft.</p>", { customerRepID, modelID: null })
      yield* (yield* RoomVersionsRepo).keep(customerID, roomID)
    }
    yield* rooms.writeHtml(customerID, roomID, transcriptHtml, { customerRepID, modelID: null })
    const made = yield* Effect.forEach(pictures[index] ?? [], (picture) => storePhoto(customerID, picture))
    const stored = yield* photos.append(customerID, roomID, made)
    const hero = stored.find(({ fileName }) => fileName === heroPhoto)
    if (hero !== undefined) yield* reports.setHeroPhoto(customerID, reportID, hero.placeDescriptionRoomPhotoID)
  }
})

export const PlacesDemoTools = Layer.mergeAll(
  BlobsRepo.layer,
  PhotosRepo.layer,
  ReportsRepo.layer,
  RoomsRepo.layer,
  RoomVersionsRepo.layer,
  SharpImages
)
