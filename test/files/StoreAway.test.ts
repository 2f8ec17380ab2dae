import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { S3Deadlines } from "../../src/files/S3Deadlines.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
import { draw, formOf, newRoom, reportsPath, rowsOf, upload as uploadPhotos } from "../places/Places.ts"
import { s3Server } from "../support/S3Server.ts"
import { send, testApp, tokenOf } from "../support/TestApp.ts"
import { aMessage } from "./Messages.ts"
import { expectAway, formWith, inFolder, tokenIn, upload } from "./Uploads.ts"

/** Takes the store away, and brings it back. */
class Absence extends Context.Tag("test/Absence")<
  Absence,
  { readonly begin: Effect.Effect<void>; readonly end: Effect.Effect<void> }
>() {}

const bucket = (manner: "Busy" | "Silent" | "Unrouted") =>
  Layer.unwrapScoped(
    Effect.map(s3Server, ({ blobStore, turn }) =>
      testApp({ BLOB_STORE: blobStore }).pipe(
        // Long enough for a busy machine.
        Layer.provide(Layer.succeed(S3Deadlines, { answer: Duration.seconds(2), stalled: Duration.seconds(3) })),
        Layer.merge(Layer.succeed(Absence, { begin: turn(manner), end: turn("Answers") }))
      )
    )
  )

type OnFolder = (files: string, aside: string) => Promise<void>

/** A folder of files that these functions take away and bring back. */
const folder = (begin: OnFolder, end: OnFolder) =>
  Layer.effect(
    Absence,
    Effect.map(Settings, ({ dataDir }) => {
      const work = (change: OnFolder) => Effect.promise(() => change(join(dataDir, "files"), join(dataDir, "aside")))
      return { begin: work(begin), end: work(end) }
    })
  ).pipe(Layer.provideMerge(inFolder))

/** A file where the folder should be; `unmounted` is like a share that is not mounted. */
const broken = folder(
  async (files, aside) => {
    await rename(files, aside)
    await writeFile(files, "in the way")
  },
  async (files, aside) => {
    await rm(files)
    await rename(aside, files)
  }
)

const unmounted = folder(
  async (files, aside) => {
    await rename(files, aside)
    await mkdir(files)
    // An empty mount point rarely belongs to the service.
    await chmod(files, 0o555)
  },
  async (files, aside) => {
    await rm(files, { recursive: true })
    await rename(aside, files)
  }
)

const large = "0123456789".repeat(60_000)

const stores = {
  "A bucket that is too busy": bucket("Busy"),
  "A silent bucket": bucket("Silent"),
  "A bucket whose proxy does not find it": bucket("Unrouted"),
  "A broken folder": broken,
  "A folder that is not mounted": unmounted
}

for (const [name, app] of Object.entries(stores)) {
  layer(app, { excludeTestServices: true })(name, (it) => {
    it.effect("causes a 503 for files, photos and documents, until it is back", () =>
      Effect.gen(function* () {
        const store = yield* Absence
        const { messageID } = yield* aMessage(1)
        const attach = (text: string) => upload(messageID, formWith(text, "a.txt", "text/plain"))
        const { reportID, roomID } = yield* newRoom()
        const picture = formOf([{ bytes: yield* draw(300, 200) }])
        const [photo] = yield* Effect.flatMap(uploadPhotos(roomID, picture), rowsOf)
        const headers = { authorization: `Bearer ${yield* tokenOf("acme-admin")}` }
        const reads = [
          `/api/File/${tokenIn(yield* attach("small"))}`,
          `/api/File/${tokenIn(yield* attach(large))}`,
          `/api/PlaceDescriptionPhotos/${photo?.accessToken}`,
          `${reportsPath}/${reportID}/export/docx`
        ].map((path) => send("GET", path, { headers }))

        yield* store.begin
        for (const read of reads) expectAway(yield* read)
        // Root may write anywhere.
        if (name !== "A folder that is not mounted" || process.getuid?.() !== 0) {
          expectAway(yield* attach("more"))
          expectAway(yield* attach(large))
          expectAway(yield* uploadPhotos(roomID, picture))
        }
        expect((yield* send("GET", "/health/ready")).status).toBe(200)

        yield* store.end
        for (const read of reads) expect((yield* read).status).toBe(200)
        expect((yield* attach("more")).status).toBe(200)
        expect((yield* uploadPhotos(roomID, picture)).status).toBe(200)
      })
    )
  })
}
