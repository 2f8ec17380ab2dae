import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import type { JobID } from "../../schema/Jobs.ts"
import { S3Deadlines } from "../../src/files/S3Deadlines.ts"
import { eventually } from "../support/Eventually.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { type Manner, s3Server } from "../support/S3Server.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { erased, exported, leaveTraces, secondLookLater, shownTo } from "./RightsTools.ts"

class Bucket extends Context.Tag("test/Bucket")<Bucket, Effect.Effect.Success<typeof s3Server>>() {}

const app = Layer.unwrapScoped(
  Effect.map(s3Server, (bucket) =>
    testApp({ BLOB_STORE: bucket.blobStore }).pipe(
      Layer.provide(secondLookLater),
      Layer.provide(Layer.succeed(S3Deadlines, { answer: Duration.seconds(2), stalled: Duration.seconds(3) })),
      Layer.merge(Layer.succeed(Bucket, bucket))
    )
  )
)

/** Loses the files that contain a word. */
const lose = (word: string) =>
  Effect.map(Bucket, ({ objects }) => {
    for (const [key, bytes] of objects) if (bytes.includes(word)) objects.delete(key)
  })

/** The number of set-aside mails whose source is lost, whomever they are about. */
const lostMails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { objects } = yield* Bucket
  const mails = yield* sql<{ blobID: string }>`select blob_id as "blobID" from failed_mail where customer_id = 1`
  const kept = [...objects.keys()]
  return mails.filter(({ blobID }) => !kept.some((key) => key.endsWith(blobID))).length
})

const hasFilesOf = (word: string) =>
  Effect.map(Bucket, ({ objects }) => [...objects.values()].some((bytes) => bytes.includes(word)))

/** Has a job attempted while the store is away, and expects that it blames the store and will be tried again. */
const failsWhile = <E, R>(
  manner: Manner,
  word: string,
  kind: string,
  start: Effect.Effect<{ readonly JobID: JobID }, E, R>
) =>
  Effect.gen(function* () {
    const { turn } = yield* Bucket
    const { jobs } = yield* clientOf("acme-admin")
    const attempted = Effect.gen(function* () {
      const { JobID } = yield* start
      yield* hurry(kind)
      const { error } = yield* eventually(
        jobs.getJob({ path: { id: JobID } }),
        (job) => job.status !== "Running" && job.error !== null
      )
      expect(error).toContain("The file store failed")
      expect(yield* hasFilesOf(word)).toBe(true)
    })
    yield* Effect.ensuring(Effect.zipRight(turn(manner), attempted), turn("Answers"))
  })

layer(app, { excludeTestServices: true })("A file that the store has lost", (it) => {
  it.effect("is named in the export, which has everything else", () =>
    Effect.gen(function* () {
      const { endUserID } = yield* leaveTraces("axolotl")
      const { endUserID: other } = yield* leaveTraces("capybara")
      yield* lose("the passport of axolotl")
      // Whose mail it was can no longer be told.
      yield* lose("capybara again")
      expect(yield* exported(endUserID)).toMatchObject({ Status: "Succeeded", Counts: { MissingFiles: 2 } })
      const read = yield* shownTo(endUserID)
      const named = { file: expect.stringMatching(/^attachments\/\d+-axolotl\.pdf$/) }
      // The answer has the file as well.
      expect(yield* read("MissingFiles")).toEqual([named, named])
      expect(yield* read("SetAsideMails")).toHaveLength(1)
      expect(yield* exported(other)).toMatchObject({
        Status: "Succeeded",
        Counts: { MissingFiles: 0, SetAsideMails: 0 }
      })
    })
  )

  it.effect("does not stop an erasure", () =>
    Effect.gen(function* () {
      const { endUserID } = yield* leaveTraces("pangolin")
      yield* leaveTraces("quokka")
      yield* lose("the passport of pangolin")
      yield* lose("quokka again")
      // The receipt admits that more may have been about the person.
      expect(yield* erased(endUserID)).toMatchObject({
        Status: "Succeeded",
        Counts: { SetAsideMails: 1, UnreadableSetAsideMails: yield* lostMails }
      })
      expect(yield* hasFilesOf("pangolin")).toBe(false)
    })
  )

  for (const manner of ["Busy", "Unrouted"] as const) {
    it.effect(`is not taken for lost while the store is away: ${manner}`, () =>
      Effect.gen(function* () {
        const word = `wombat${manner.toLowerCase()}`
        const { endUserID } = yield* leaveTraces(word)
        const { dataRights, jobs } = yield* clientOf("acme-admin")
        const start = dataRights.exportEndUser({ path: { id: endUserID } })
        yield* failsWhile(manner, word, "ExportEndUser", start)
        yield* hurry("ExportEndUser")
        expect(yield* exported(endUserID)).toMatchObject({ Status: "Succeeded", Counts: { MissingFiles: 0 } })

        const erasure = dataRights.getErasure({ path: { id: endUserID } })
        yield* failsWhile(manner, word, "EraseEndUser", dataRights.eraseEndUser({ path: { id: endUserID } }))
        yield* hurry("EraseEndUser")
        // Until its first look is over: the files are still to be removed.
        const { JobID } = yield* erasure
        yield* eventually(jobs.getJob({ path: { id: JobID } }), (job) => job.status === "Queued" && job.error === null)
        yield* failsWhile(manner, word, "EraseEndUser", erasure)
        expect(yield* erased(endUserID)).toMatchObject({ Status: "Succeeded", Counts: { SetAsideMails: 1 } })
        expect(yield* hasFilesOf(word)).toBe(false)
      })
    )
  }
})
