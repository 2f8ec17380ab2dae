import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import { S3Deadlines } from "../../src/files/S3Deadlines.ts"
import { inOneLine } from "../../src/KnownError.ts"
import { StartPatience } from "../../src/platform/concurrency/StartPatience.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/Processes.ts"
import { s3Server } from "../support/S3Server.ts"
import { send, settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { aMessage } from "./Messages.ts"
import { formWith, upload } from "./Uploads.ts"

/** The line that a start fails with; empty when it succeeds. */
const startWith = (blobStore: string) =>
  Layer.build(BlobStoreLive.pipe(Layer.provide(settingsLayer({ BLOB_STORE: blobStore })))).pipe(
    Effect.scoped,
    Effect.exit,
    Effect.map((exit) => (Exit.isFailure(exit) ? inOneLine(exit.cause) : ""))
  )

/** Forgets which store holds the files, so that each test may start with another one. */
const anyPlace = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from installation where name = 'blob store'`)

const noFiles = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate blob, blob_removal cascade`)

/** Collects the warnings that an effect logs. */
const noting = (warnings: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, logLevel, message }) => {
      if (logLevel.label === "WARN") warnings.push(`${message} ${Cause.pretty(cause)}`)
    })
  )

layer(TestDatabase, { excludeTestServices: true })("A start with files", (it) => {
  it.scoped("tries to write, read and remove a file in the bucket, and leaves nothing there", () =>
    Effect.gen(function* () {
      yield* anyPlace
      const { blobStore, objects, seen } = yield* s3Server
      expect(yield* startWith(blobStore)).toBe("")
      expect(yield* seen).toEqual(["PUT", "GET", "DELETE"])
      expect(objects.size).toBe(0)
    })
  )

  it.scoped("fails in a line that names the setting, and no secret, when the bucket can never work", () =>
    Effect.gen(function* () {
      const { blobStore, turn } = yield* s3Server
      const at = new URL(blobStore.replace(/^.*endpoint=/, "").replace(/&.*$/, "")).origin
      const told = (problem: string, bucket = "files") =>
        `Settings: BLOB_STORE: Cannot store files in the bucket ${bucket} at ${at}: ${problem}. Check the bucket, the ` +
        "endpoint, the region and the credentials; the service must be allowed to read, write and delete objects"
      const refused = (text: string) => Effect.zipRight(anyPlace, startWith(text))
      yield* noFiles
      for (const files of [0, 1]) {
        if (files > 0) yield* (yield* SqlClient.SqlClient)`insert into blob (customer_id, size) values (1, 1)`
        expect(yield* refused(blobStore.replace("//files/", "//fils/"))).toBe(told("NoSuchBucket (404)", "fils"))
        expect(yield* refused(blobStore.replace("eu-test-1", "eu-test-2"))).toBe(told("SignatureDoesNotMatch (403)"))
        yield* turn("ReadOnly")
        expect(yield* refused(blobStore)).toBe(told("AccessDenied (403)"))
        yield* turn("Answers")
      }
    })
  )

  it.scoped("succeeds while the bucket is away: files work once it is back, and the rest at once", () =>
    Effect.gen(function* () {
      yield* anyPlace
      const { blobStore, turn } = yield* s3Server
      yield* turn("Busy")
      const warnings: Array<string> = []
      yield* Effect.gen(function* () {
        const { messageID } = yield* aMessage(1)
        const sent = upload(messageID, formWith("text", "a.txt", "text/plain"))
        expect((yield* send("GET", "/health/ready")).status).toBe(200)
        expect((yield* sent).status).toBe(503)
        yield* turn("Answers")
        expect((yield* sent).status).toBe(200)
      }).pipe(onAnotherNode({ BLOB_STORE: blobStore }))
      yield* anyPlace
      yield* turn("Busy")
      expect(yield* Effect.provide(startWith(blobStore), noting(warnings))).toBe("")
      expect(warnings).toEqual([expect.stringMatching(/file store is unavailable.*SlowDown/)])
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("A start without files", (it) => {
  it.scoped("waits for a bucket that is away", () =>
    Effect.gen(function* () {
      yield* Effect.zipRight(anyPlace, noFiles)
      const { blobStore, turn } = yield* s3Server
      yield* turn("Busy")
      const warnings: Array<string> = []
      const starting = yield* Effect.fork(Effect.provide(startWith(blobStore), noting(warnings)))
      yield* eventually(Effect.succeed(warnings), ([first = ""]) => /^waiting for the file store.*SlowDown/.test(first))
      yield* turn("Answers")
      expect(yield* Fiber.join(starting)).toBe("")
    })
  )

  it.scoped("fails when the bucket is away, or silent, for too long", () =>
    Effect.gen(function* () {
      yield* Effect.zipRight(anyPlace, noFiles)
      const { blobStore, turn } = yield* s3Server
      const nowhere = `s3://files?endpoint=http://127.0.0.1:${yield* freePort}`
      const briefly = Effect.provideService(StartPatience, Duration.millis(300))
      expect(yield* briefly(startWith(nowhere))).toMatch(
        /^Settings: BLOB_STORE: Cannot store files.*: connect ECONNREFUSED/
      )
      yield* anyPlace
      yield* turn("Silent")
      const short = Effect.provideService(S3Deadlines, { answer: Duration.millis(200), stalled: Duration.seconds(1) })
      expect(yield* short(briefly(startWith(blobStore)))).toContain("The file store did not respond within 200ms")
    })
  )
})
