import { expect, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { S3Deadlines } from "../../src/files/S3Deadlines.ts"
import { eventually } from "../support/Eventually.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { s3Server } from "../support/S3Server.ts"
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
      expect((yield* erased(endUserID)).Status).toBe("Succeeded")
      const { objects } = yield* Bucket
      expect([...objects.values()].some((bytes) => bytes.includes("pangolin"))).toBe(false)
    })
  )

  it.effect("is not taken for lost while the store is away", () =>
    Effect.gen(function* () {
      const bucket = yield* Bucket
      const { endUserID } = yield* leaveTraces("wombat")
      const { dataRights, jobs } = yield* clientOf("acme-admin")
      yield* bucket.turn("Busy")
      const { JobID } = yield* dataRights.exportEndUser({ path: { id: endUserID } })
      const job = jobs.getJob({ path: { id: JobID } })
      const failed = yield* eventually(job, ({ error }) => error !== null)
      expect(failed).toMatchObject({ status: "Queued", error: expect.stringContaining("The file store failed") })
      yield* bucket.turn("Answers")
      yield* hurry("ExportEndUser")
      expect(yield* exported(endUserID)).toMatchObject({ Status: "Succeeded", Counts: { MissingFiles: 0 } })
      expect((yield* erased(endUserID)).Status).toBe("Succeeded")
    })
  )
})
