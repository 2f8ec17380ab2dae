import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { BlobID } from "../../src/files/BlobStore.ts"
import { DocxRenderer } from "../../src/places/document/DocxRenderer.ts"
import { patchedDocx } from "../../src/places/document/PatchedDocx.ts"
import { documentOf } from "./RenderedReports.ts"

const hero = {
  accessToken: "hero",
  blobID: BlobID.make("00000000-0000-4000-8000-000000000001"),
  contentType: "image/png",
  widthPx: 10,
  heightPx: 10
}

describe("A document whose reader goes away", () => {
  it.live("closes the photo that it was just reading", () =>
    Effect.gen(function* () {
      const [opened, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const renderer = yield* DocxRenderer
      const bytes = yield* renderer.render({ ...documentOf([]), hero }, () =>
        Deferred.succeed(opened, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(closed, undefined))
        )
      )
      const reader = yield* Effect.fork(Stream.runDrain(bytes))
      yield* Deferred.await(opened)
      yield* Fiber.interrupt(reader)
      expect(Option.isSome(yield* Effect.timeoutOption(Deferred.await(closed), "5 seconds"))).toBe(true)
    }).pipe(Effect.provide(patchedDocx(Option.none())))
  )
})
