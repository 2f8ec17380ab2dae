import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID, BlobStore } from "../../src/files/BlobStore.ts"
import { capturedLog } from "../http/CapturedLog.ts"
import { expectError } from "../http/ErrorBody.ts"
import { draw, formOf, newRoom, reportsPath, rowsOf, upload as uploadPhotos } from "../places/Places.ts"
import { s3Server } from "../support/S3Server.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { send, testNode, tokenOf } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { aMessage } from "./Messages.ts"
import { formWith, tokenIn, upload } from "./Uploads.ts"

const acme = CustomerID.make(1)

class Log extends Context.Tag("test/Log")<Log, ReturnType<typeof capturedLog>>() {}

const places = {
  database: Effect.succeed({}),
  folder: Effect.map(temporaryFolder, (DATA_DIR) => ({ BLOB_STORE: "folder", DATA_DIR })),
  bucket: Effect.map(s3Server, ({ blobStore }) => ({ BLOB_STORE: blobStore }))
}

const large = "0123456789".repeat(60_000)

/** Removes all bytes, as when files are deleted by hand or restored from too old a backup. */
const loseBytes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* BlobStore
  const blobs = yield* sql<{ blobID: string }>`select blob_id as "blobID" from blob where customer_id = ${acme}`
  yield* Effect.forEach(blobs, ({ blobID }) => store.remove(acme, BlobID.make(blobID)))
})

for (const [name, place] of Object.entries(places)) {
  const app = Layer.unwrapScoped(
    Effect.map(place, (overrides) => {
      const log = capturedLog()
      return testNode(TestDatabase, overrides, log.layer).pipe(Layer.merge(Layer.succeed(Log, log)))
    })
  )
  layer(app, { excludeTestServices: true })(`A file whose bytes the ${name} has lost`, (it) => {
    it.effect("is 404, small or large, as is a photo or document that needs it, and the log names it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* Log
        const { messageID } = yield* aMessage(acme)
        const attach = (text: string) =>
          Effect.map(
            upload(messageID, formWith(text, "a.txt", "text/plain")),
            (answer) => `/api/File/${tokenIn(answer)}`
          )
        const { reportID, roomID } = yield* newRoom()
        const [photo] = yield* Effect.flatMap(uploadPhotos(roomID, formOf([{ bytes: yield* draw(300, 200) }])), rowsOf)
        const largePath = yield* attach(large)
        const paths = [
          yield* attach("small"),
          largePath,
          `/api/PlaceDescriptionPhotos/${photo?.accessToken}`,
          `${reportsPath}/${reportID}/export/docx`
        ]
        const headers = { authorization: `Bearer ${yield* tokenOf("acme-admin")}` }
        for (const path of paths) expect((yield* send("GET", path, { headers })).status).toBe(200)

        yield* loseBytes
        for (const path of paths) {
          log.clear()
          expectError(yield* send("GET", path, { headers }), 404, /content of the file is missing/)
          const errors = log.entries().filter(({ logLevel }) => logLevel === "ERROR")
          expect(errors).toHaveLength(1)
          const [, blobID] = /no bytes for blob ([\w-]{36}) of customer 1\b/.exec(String(errors[0]?.cause)) ?? []
          expect(
            yield* sql`select 1 from blob where customer_id = ${acme} and blob_id = ${blobID ?? null}`
          ).toHaveLength(1)
        }
        expect((yield* send("HEAD", largePath)).status).toBe(404)
        expect((yield* send("GET", largePath, { headers: { range: "bytes=0-299999" } })).status).toBe(404)
        expect((yield* send("GET", yield* attach(large))).text).toBe(large)
      })
    )
  })
}
