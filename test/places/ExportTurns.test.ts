import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Stream } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { DocxRenderer } from "../../src/places/document/DocxRenderer.ts"
import { ImageProcessor } from "../../src/places/ImageProcessor.ts"
import { PhotoBytes } from "../../src/places/PhotoBytes.ts"
import { PhotosRepo } from "../../src/places/PhotosRepo.ts"
import { ReportExport } from "../../src/places/ReportExport.ts"
import { ReportsRepo } from "../../src/places/ReportsRepo.ts"
import { RoomsRepo } from "../../src/places/RoomsRepo.ts"
import { blank } from "./RenderedReports.ts"

const rows = Layer.mergeAll(
  Layer.mock(ReportsRepo, { find: () => Effect.succeed(Option.some(blank)) }),
  Layer.mock(RoomsRepo, { list: () => Effect.succeed([]) }),
  Layer.mock(PhotosRepo, { listOfReport: () => Effect.succeed([]) }),
  Layer.mock(PhotoBytes, {}),
  Layer.mock(ImageProcessor, {})
)

describe("Exports at the same time", () => {
  it.live("are put together two at a time, and all of them in the end", () =>
    Effect.gen(function* () {
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let running = 0
      let most = 0
      const slow = Layer.succeed(DocxRenderer, {
        render: () =>
          Effect.gen(function* () {
            running += 1
            most = Math.max(most, running)
            if (running === 2) yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(goOn)
            running -= 1
            return Stream.empty
          })
      })
      const done = yield* Effect.gen(function* () {
        const { docx } = yield* ReportExport
        const one = docx(blank.placeDescriptionReportID, {})
        const all = yield* Effect.fork(Effect.all([one, one, one, one, one], { concurrency: "unbounded" }))
        yield* Deferred.await(begun)
        yield* Deferred.succeed(goOn, undefined)
        return yield* Fiber.join(all)
      }).pipe(
        Effect.provide(ReportExport.layer.pipe(Layer.provide(slow), Layer.provide(rows))),
        Effect.provideService(CurrentRep, {
          _tag: "Representative",
          customerID: CustomerID.make(1),
          customerRepID: CustomerRepID.make(1),
          username: "acme-admin",
          role: "Admin",
          impersonated: false
        })
      )
      expect(done).toHaveLength(5)
      expect(most).toBe(2)
    })
  )
})
