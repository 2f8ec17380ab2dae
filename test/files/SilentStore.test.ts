import { readdir, readlink } from "node:fs/promises"
import { SqlClient } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, Stream, TestClock, TestContext } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID, BlobStore } from "../../src/files/BlobStore.ts"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import { S3Deadlines } from "../../src/files/S3Deadlines.ts"
import { untilStalled } from "../../src/files/Stalled.ts"
import { expectError } from "../http/ErrorBody.ts"
import { eventually } from "../support/Eventually.ts"
import { s3Server } from "../support/S3Server.ts"
import { clientOf, send, settingsLayer, testApp } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { aMessage } from "./Messages.ts"
import { samples } from "./Samples.ts"
import { formWith, upload } from "./Uploads.ts"

const acme = CustomerID.make(1)

/** The server side of the store. */
class Server extends Context.Tag("test/S3Server")<Server, Effect.Effect.Success<typeof s3Server>>() {}

const store = ({ answer, stalled }: Readonly<Record<"answer" | "stalled", Duration.DurationInput>>) =>
  Layer.unwrapScoped(
    Effect.map(s3Server, (server) =>
      BlobStoreLive.pipe(
        Layer.provide(
          Layer.succeed(S3Deadlines, { answer: Duration.decode(answer), stalled: Duration.decode(stalled) })
        ),
        Layer.provide(TestDatabase),
        Layer.provide(settingsLayer({ BLOB_STORE: server.blobStore })),
        Layer.merge(Layer.succeed(Server, server))
      )
    )
  )

const newBlob = Effect.sync(() => BlobID.make(crypto.randomUUID()))

/** A blob that was stored before the store misbehaves. */
const stored = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const blobID = yield* newBlob
    yield* (yield* Server).turn("Answers")
    yield* (yield* BlobStore).put(acme, blobID, bytes)
    return blobID
  })

const complaint = <A>(effect: Effect.Effect<A>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "none"))

/** More than the buffers on the way hold. */
const large = () => new Uint8Array(48 * 1024 * 1024)

/** The files that are open for an upload, also those that have no name any more. */
const openUploads = Effect.promise(async () => {
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""))
  return (await Promise.all(links)).filter((path) => path.includes("/casework-spool-"))
})

layer(store({ answer: "3 seconds", stalled: "4 seconds" }), { excludeTestServices: true })("A silent store", (it) => {
  it.effect("keeps no upload waiting, also while its possible remains are removed", () =>
    Effect.gen(function* () {
      const { objects, turn } = yield* Server
      const blobs = yield* BlobStore
      const blobID = yield* newBlob
      yield* turn("Silent")
      expect(yield* complaint(blobs.put(acme, blobID, new Uint8Array(100)))).toContain(
        "The file store accepted no data and did not respond for 4s"
      )
      expect([...objects.keys()].filter((key) => key.endsWith(blobID))).toHaveLength(1)
      yield* turn("Deaf")
      expect(yield* complaint(blobs.put(acme, yield* newBlob, large()))).toContain("accepted no data")
    })
  )

  it.effect("keeps no download, piece or removal waiting", () =>
    Effect.gen(function* () {
      const { turn, underWay } = yield* Server
      const blobs = yield* BlobStore
      const blobID = yield* stored(new Uint8Array(300_000))
      const before = yield* underWay
      yield* turn("Silent")
      const silence = "The file store did not respond within 3s"
      expect(yield* complaint(Stream.runDrain(blobs.get(acme, blobID)))).toContain(silence)
      expect(yield* complaint(blobs.getPiece(acme, blobID, { start: 0, end: 9 }))).toContain(silence)
      expect(yield* complaint(blobs.remove(acme, blobID))).toContain(silence)
      yield* turn("Stalls")
      expect(yield* complaint(Stream.runDrain(blobs.get(acme, blobID)))).toContain(
        `The file store sent nothing of blob ${blobID} for 4s`
      )
      yield* eventually(underWay, (count) => count <= before)
    })
  )

  it.effect("leaves no file of an upload open, whatever ended the upload", () =>
    Effect.gen(function* () {
      const { stop, turn, underWay } = yield* Server
      const blobs = yield* BlobStore
      yield* turn("Deaf")
      yield* complaint(blobs.put(acme, yield* newBlob, large()))
      expect(yield* openUploads).toEqual([])
      const before = yield* underWay
      const interrupted = yield* Effect.fork(blobs.put(acme, yield* newBlob, large()))
      yield* eventually(underWay, (count) => count > before)
      expect(yield* openUploads).toHaveLength(1)
      yield* Fiber.interrupt(interrupted)
      expect(yield* openUploads).toEqual([])
      yield* stop
      expect(yield* complaint(blobs.put(acme, yield* newBlob, large()))).toContain("ECONNREFUSED")
      expect(yield* openUploads).toEqual([])
    })
  )
})

layer(store({ answer: "10 seconds", stalled: "2 seconds" }), { excludeTestServices: true })("A slow line", (it) => {
  it.effect("may take as long as it needs for a download, and so may the reader", () =>
    Effect.gen(function* () {
      const { turn } = yield* Server
      const blobs = yield* BlobStore
      const bytes = new Uint8Array(1_000_000)
      const blobID = yield* stored(bytes)
      const count = Stream.runFold(0, (total, piece: Uint8Array) => total + piece.length)
      yield* turn("Trickles")
      expect(yield* count(blobs.get(acme, blobID))).toBe(bytes.length)
      const largeID = yield* stored(large())
      const pausing = blobs.get(acme, largeID).pipe(
        Stream.zipWithIndex,
        Stream.tap(([, index]) => Effect.when(Effect.sleep("3 seconds"), () => index === 1)),
        Stream.map(([piece]) => piece)
      )
      expect(yield* count(pausing)).toBe(large().length)
    })
  )
})

const app = Layer.unwrapScoped(
  Effect.map(s3Server, (server) =>
    testApp({ BLOB_STORE: server.blobStore }).pipe(
      // Long enough for a busy machine.
      Layer.provide(Layer.succeed(S3Deadlines, { answer: Duration.seconds(2), stalled: Duration.seconds(3) })),
      Layer.provideMerge(Layer.succeed(Server, server))
    )
  )
)

layer(app, { excludeTestServices: true })("The service with a store that falls silent", (it) => {
  it.effect("refuses uploads, stays ready, and removes what is left when the store answers again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { objects, turn } = yield* Server
      const { messageID } = yield* aMessage(1)
      const { ticketMessageAttachments: attachments } = yield* clientOf("acme-agent")
      const before = new Set(objects.keys())
      const sent = upload(messageID, formWith(samples.png, "a.png"))
      expect((yield* sent).status).toBe(200)
      const [attachment] = yield* attachments.listAttachments({ path: { id: messageID } })
      if (attachment === undefined) return yield* Effect.dieMessage("not listed")

      yield* turn("Silent")
      const refused = yield* sent
      expectError(refused, 503, /file store does not respond/)
      expect(refused.headers.get("retry-after")).toBe("1")
      expect((yield* send("GET", "/health/ready")).status).toBe(200)
      const { ticketMessageAttachmentID: attachmentId } = attachment
      yield* attachments.deleteAttachment({ path: { id: messageID, attachmentId } })
      yield* eventually(
        sql`select 1 from job where customer_id = 1 and kind = 'RemoveBlob' and attempts > 0 and status = 'Queued'`,
        (rows) => rows.length === 1
      )
      const notes = sql`select 1 from blob_removal where customer_id = 1`
      expect(yield* notes).toHaveLength(2)
      expect(objects.size).toBe(before.size + 2)

      yield* turn("Answers")
      yield* sql`update periodic_work set next_at = now() where name = 'sweeping blobs'`
      yield* eventually(notes, (rows) => rows.length === 0)
      expect(new Set(objects.keys())).toEqual(before)
      expect((yield* sent).status).toBe(200)
    })
  )
})

// Not `it.effect`: `layer` leaves its own behind, so it may come from another file and have no test clock.
it.live("An upload is not cut while it makes progress, however long it takes", () =>
  Effect.gen(function* () {
    const file = { bytesRead: 0 }
    const fiber = yield* Effect.fork(untilStalled(file, Duration.minutes(1)))
    for (let minute = 0; minute < 5; minute++) {
      yield* TestClock.adjust("50 seconds")
      expect(fiber.unsafePoll()).toBeNull()
      file.bytesRead += 1
      yield* TestClock.adjust("10 seconds")
    }
    expect(fiber.unsafePoll()).toBeNull()
    yield* TestClock.adjust("70 seconds")
    expect(yield* complaint(Fiber.join(fiber))).toContain("The file store accepted no data")
  }).pipe(Effect.provide(TestContext.TestContext))
)
