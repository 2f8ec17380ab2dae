import { copyFile } from "node:fs/promises"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { SqlClient } from "@effect/sql"
import { Console, Effect, Layer, Option, Schema } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { CustomerID, CustomerRepID, PlaceDescriptionReportID } from "../../schema/Ids.ts"
import { PasswordHasher } from "../auth/PasswordHasher.ts"
import { PostgresBlobStore } from "../files/PostgresBlobStore.ts"
import { patchedDocx } from "../places/document/PatchedDocx.ts"
import { PhotoBytes } from "../places/PhotoBytes.ts"
import { PlacesRepos } from "../places/PlacesServices.ts"
import { ReportExport } from "../places/ReportExport.ts"
import { SharpImages } from "../places/SharpImages.ts"
import { layerFromPGlite, openPGlite } from "../platform/database/EmbeddedPostgres.ts"
import { migrated } from "../platform/database/Migrate.ts"
import { DemoTools, seedDemoData } from "./DemoData.ts"

const FirstReport = Schema.Struct({
  customerID: CustomerID,
  customerRepID: CustomerRepID,
  reportID: PlaceDescriptionReportID
})

const firstReport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    /* all customers: the first report that there is */
    select customer_id as "customerID", customer_rep_id as "customerRepID", place_description_report_id as "reportID"
    from place_description_report order by place_description_report_id limit 1`
  const [first] = yield* Schema.decodeUnknown(Schema.NonEmptyArray(FirstReport))(rows)
  return first
})

/** Writes the demo report as DOCX, from a temporary database. */
const program = Effect.gen(function* () {
  yield* seedDemoData
  const { customerID, customerRepID, reportID } = yield* firstReport
  const { docx } = yield* ReportExport
  const exported = yield* docx(reportID, {}).pipe(
    Effect.provideService(CurrentRep, {
      _tag: "Representative",
      customerID,
      customerRepID,
      username: "demo",
      role: "Admin",
      impersonated: false
    })
  )
  const path = process.argv[2] ?? exported.fileName
  yield* Effect.promise(() => copyFile(exported.path, path))
  yield* Console.log(`Wrote ${path}.`)
})

const Tools = Layer.merge(
  DemoTools.pipe(Layer.provide(PasswordHasher.layer)),
  ReportExport.layer.pipe(
    Layer.provide(PhotoBytes.layer),
    Layer.provide([PlacesRepos, SharpImages, patchedDocx(Option.none())])
  )
).pipe(Layer.provideMerge(PostgresBlobStore), Layer.provideMerge(migrated(layerFromPGlite(openPGlite({})))))

NodeRuntime.runMain(program.pipe(Effect.scoped, Effect.provide(Tools)))
