import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream, TestClock, TestContext } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { ServiceUnavailable } from "../../schema/Errors.ts"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { PlaceDescriptionReport } from "../../schema/PlaceDescriptionReports.ts"
import { DocxRenderer } from "../../src/places/document/DocxRenderer.ts"
import { ImageProcessor } from "../../src/places/ImageProcessor.ts"
import { PhotoBytes } from "../../src/places/PhotoBytes.ts"
import { PhotosRepo } from "../../src/places/PhotosRepo.ts"
import { LargestBacklog, ReportExport } from "../../src/places/ReportExport.ts"
import { ReportsRepo } from "../../src/places/ReportsRepo.ts"
import { RoomsRepo } from "../../src/places/RoomsRepo.ts"
import { blank } from "./RenderedReports.ts"

const rows = Layer.mergeAll(
  Layer.mock(ReportsRepo, {
    find: (customerID) => Effect.succeedSome(new PlaceDescriptionReport({ ...blank, customerID }))
  }),
  Layer.mock(RoomsRepo, { list: () => Effect.succeed([]) }),
  Layer.mock(PhotosRepo, { listOfReport: () => Effect.succeed([]) }),
  Layer.mock(PhotoBytes, {}),
  Layer.mock(ImageProcessor, {})
)

const as = (id: number) =>
  Effect.provideService(CurrentRep, {
    _tag: "Representative",
    customerID: CustomerID.make(id),
    customerRepID: CustomerRepID.make(1),
    username: "acme-admin",
    role: "Admin",
    impersonated: false
  })

/** Exports for these customers, begun in this order. Returns whose two ran first, and how many ran at most. */
const exportFor = (customers: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const running: Array<number> = []
    const first: Array<number> = []
    let most = 0
    const slow = Layer.succeed(DocxRenderer, {
      render: ({ report: { customerID } }) =>
        Effect.gen(function* () {
          running.push(customerID)
          most = Math.max(most, running.length)
          if (running.length === 2) {
            first.push(...running)
            yield* Deferred.succeed(begun, undefined)
          }
          yield* Deferred.await(goOn)
          running.pop()
          return Buffer.from("PK")
        }).pipe(Stream.fromEffect, Effect.succeed)
    })
    const done = yield* Effect.gen(function* () {
      const { docx } = yield* ReportExport
      const all = yield* Effect.fork(
        Effect.forEach(customers, (id) => docx(blank.placeDescriptionReportID, {}).pipe(as(id), Effect.scoped), {
          concurrency: "unbounded"
        })
      )
      yield* Deferred.await(begun)
      yield* Deferred.succeed(goOn, undefined)
      return yield* Fiber.join(all)
    }).pipe(Effect.provide(ReportExport.layer.pipe(Layer.provide(slow), Layer.provide(rows))))
    return { done: done.length, first: first.slice(0, 2).sort(), most }
  })

/** A report whose document never ends. */
const endless = Layer.succeed(DocxRenderer, { render: () => Effect.succeed(Stream.never) })

/** Documents of a thousand bytes. */
const short = Layer.succeed(DocxRenderer, { render: () => Effect.succeed(Stream.make(Buffer.alloc(1000))) })

describe("Exports that nobody has downloaded yet", () => {
  it.live("are refused beyond what the customer or the node may keep, until one was downloaded", () =>
    Effect.gen(function* () {
      const { docx } = yield* ReportExport
      const kept = (id: number) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const exit = yield* Effect.exit(docx(blank.placeDescriptionReportID, {}).pipe(as(id), Scope.extend(scope)))
          const isRefused = Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof ServiceUnavailable
          return { isRefused, downloaded: Scope.close(scope, Exit.void) }
        })
      const first = yield* kept(1)
      yield* kept(1)
      expect([(yield* kept(1)).isRefused, (yield* kept(2)).isRefused]).toEqual([true, false])
      expect((yield* kept(3)).isRefused).toBe(true)
      yield* first.downloaded
      expect((yield* kept(3)).isRefused).toBe(false)
      expect((yield* kept(1)).isRefused).toBe(true)
    }).pipe(
      Effect.provide(ReportExport.layer.pipe(Layer.provide(short), Layer.provide(rows))),
      Effect.provideService(LargestBacklog, { node: 2500, customer: 1500 })
    )
  )
})

describe("Exports at the same time", () => {
  it.live("run two at a time, and all of them finish", () =>
    Effect.gen(function* () {
      expect(yield* exportFor([1, 2, 3, 4, 5])).toEqual({ done: 5, first: [1, 2], most: 2 })
    })
  )

  it.live("leave a place for another customer, however many one customer starts", () =>
    Effect.gen(function* () {
      expect(yield* exportFor([1, 1, 1, 1, 2])).toMatchObject({ done: 5, first: [1, 2] })
    })
  )

  it.live("are told to come back when their turn takes long, before the connection is cut", () =>
    Effect.gen(function* () {
      const { docx } = yield* ReportExport
      const ask = docx(blank.placeDescriptionReportID, {}).pipe(as(1), Effect.scoped)
      yield* Effect.fork(ask)
      yield* Effect.yieldNow()
      const waiting = yield* Effect.fork(ask)
      yield* TestClock.adjust("1 minute")
      const exit = yield* Fiber.await(waiting)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(ServiceUnavailable)
    }).pipe(
      Effect.provide(
        Layer.merge(ReportExport.layer.pipe(Layer.provide(endless), Layer.provide(rows)), TestContext.TestContext)
      )
    )
  )
})
