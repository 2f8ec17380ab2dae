import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schedule } from "effect"
import { aMessage } from "../files/Messages.ts"
import { upload } from "../files/Uploads.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { testApp } from "../support/TestApp.ts"

const mebibyte = 1024 * 1024
const chunk = Buffer.alloc(mebibyte / 16, "0123456789\n")

/** A form that is generated while it is sent, so that the sender holds none of it in memory. */
async function* largeForm() {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
  for (let sent = 0; sent < 24 * mebibyte; sent += chunk.length) yield chunk
  yield Buffer.from("\r\n--b--\r\n")
}

const withFolder = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (DATA_DIR) => testApp({ BLOB_STORE: "folder", DATA_DIR }))
)

layer(withFolder, { excludeTestServices: true })("Uploads", (it) => {
  it.effect("take far less memory than their size when many come at once", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const sendOne = Effect.suspend(() =>
        upload(messageID, ReadableStream.from(largeForm()), "acme-agent", {
          "content-type": "multipart/form-data; boundary=b"
        })
      )
      expect((yield* sendOne).status).toBe(200)
      const held = Effect.sync(() => process.memoryUsage().arrayBuffers)
      const before = yield* held
      const peak = yield* Ref.make(before)
      const watch = held.pipe(
        Effect.flatMap((now) => Ref.update(peak, (highest) => Math.max(highest, now))),
        Effect.repeat(Schedule.spaced("10 millis"))
      )
      const answers = yield* Effect.race(
        Effect.all(
          Array.from({ length: 10 }, () => sendOne),
          { concurrency: 10 }
        ),
        watch
      )
      expect(answers).toEqual(Array.from({ length: 10 }, () => expect.objectContaining({ status: 200 })))
      expect(((yield* Ref.get(peak)) - before) / mebibyte).toBeLessThan(100)
    })
  )
})
