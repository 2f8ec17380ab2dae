import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Fiber, FastCheck as fc } from "effect"
import sharp from "sharp"
import { ImageProcessor } from "../../src/places/ImageProcessor.ts"
import { makeTurns, megabytesOf, mostMegabytes, type PictureHeader } from "../../src/places/PictureMemory.ts"
import { SharpImages, unreadable } from "../../src/places/SharpImages.ts"
import { draw } from "./Places.ts"

const photo = (millions: number, header: Partial<PictureHeader> = {}) =>
  megabytesOf({
    contentType: "image/jpeg",
    width: 1_000,
    height: millions * 1_000,
    channels: 3,
    bytes: 1,
    isProgressive: false,
    isLossless: false,
    ...header
  })

const png = { contentType: "image/png" } as const
const webp = { contentType: "image/webp" } as const

describe("The memory for pictures", () => {
  it("suffices for the pictures of phones and scanners", () => {
    const honest = [
      photo(120),
      photo(50, { isProgressive: true }),
      photo(120, { ...png, channels: 4, bytes: 2 }),
      photo(50, { ...png, isProgressive: true }),
      photo(120, webp),
      photo(50, { ...webp, isLossless: true })
    ]
    for (const megabytes of honest) expect(megabytes).toBeLessThanOrEqual(mostMegabytes)
  })

  it("does not suffice for large pictures that are decoded as a whole", () => {
    const bombs = [
      photo(120, { isProgressive: true }),
      photo(52, { isProgressive: true, channels: 4 }),
      photo(36, { ...png, isProgressive: true, channels: 4, bytes: 2 }),
      photo(120, { ...png, isProgressive: true }),
      photo(120, { ...webp, isLossless: true })
    ]
    for (const megabytes of bombs) expect(megabytes).toBeGreaterThan(mostMegabytes)
  })
})

describe("Turns by weight", () => {
  it.effect("never exceed the total weight, and everyone gets one", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 30 }), (weights) =>
          Effect.gen(function* () {
            const { inTurn } = yield* makeTurns(10, 2)
            let running = 0
            const done = yield* Effect.forEach(
              weights,
              (weight, index) =>
                inTurn(
                  String(index % 5),
                  weight,
                  Effect.gen(function* () {
                    running += weight
                    expect(running).toBeLessThanOrEqual(10)
                    yield* Effect.yieldNow()
                    running -= weight
                    return weight
                  })
                ),
              { concurrency: "unbounded" }
            )
            expect(done).toEqual(weights)
          }).pipe(Effect.runPromise)
        ),
        { numRuns: 30 }
      )
    )
  )

  it.effect("reach heavy work as well, and go on when a waiting one is given up", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* makeTurns(10, 5)
      const [first, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const order: Array<string> = []
      const begin = (name: string, weight: number, work: Effect.Effect<void> = Effect.void) =>
        Effect.fork(
          inTurn(
            "one",
            weight,
            Effect.zipRight(
              Effect.sync(() => order.push(name)),
              work
            )
          )
        ).pipe(Effect.tap(Effect.yieldNow()))
      const running = yield* begin("first", 5, Deferred.await(first))
      const heavy = yield* begin("heavy", 10, Deferred.await(second))
      const light = yield* begin("light", 5)
      const givenUp = yield* begin("given up", 10)
      const last = yield* begin("last", 5)
      const atFirst = [...order]
      yield* Deferred.succeed(first, undefined)
      yield* Fiber.join(running)
      yield* Fiber.interrupt(givenUp)
      yield* Deferred.succeed(second, undefined)
      yield* Effect.forEach([heavy, light, last], Fiber.join)
      expect(atFirst).toEqual(["first"])
      expect(order).toEqual(["first", "heavy", "light", "last"])
    })
  )

  it.effect("keep nobody waiting for the many of one owner", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* makeTurns(3, 2)
      const goOn = yield* Deferred.make<void>()
      const order: Array<string> = []
      const begin = (owner: string) =>
        Effect.sync(() => order.push(owner)).pipe(
          Effect.zipRight(Deferred.await(goOn)),
          (work) => Effect.fork(inTurn(owner, 1, work)),
          Effect.tap(Effect.yieldNow())
        )
      const many = yield* Effect.forEach(["a", "a", "a", "a", "a"], begin)
      const other = yield* begin("b")
      const atFirst = [...order]
      yield* Deferred.succeed(goOn, undefined)
      yield* Effect.forEach([...many, other], Fiber.join)
      expect(atFirst).toEqual(["a", "a", "b"])
      expect(order).toHaveLength(6)
    })
  )
})

describe("Pictures that are decoded as a whole", () => {
  it.live("are accepted up to the sizes that cameras have", () =>
    Effect.gen(function* () {
      const { prepare } = yield* ImageProcessor
      const plain = yield* draw(400, 300)
      for (const coded of [
        sharp(plain).jpeg({ progressive: true }),
        sharp(plain).png({ progressive: true }),
        sharp(plain).webp({ lossless: true })
      ]) {
        expect(yield* prepare(yield* Effect.promise(() => coded.toBuffer()))).toMatchObject({ widthPx: 400 })
      }
      const wide = sharp({ create: { width: 12_000, height: 5_000, channels: 3, background: "#336699" } })
      const progressive = yield* Effect.promise(() => wide.jpeg({ progressive: true }).toBuffer())
      expect(yield* Effect.flip(prepare(progressive))).toMatchObject({ message: expect.stringMatching(/memory/) })
    }).pipe(Effect.provide(SharpImages))
  )
})

describe("A picture that could not be processed", () => {
  it.effect("is the sender's fault only when the picture is the cause", () =>
    Effect.gen(function* () {
      const causeOf = (message: string) =>
        Effect.flip(Effect.sandbox(unreadable(new Cause.UnknownException(new Error(message)))))
      for (const ours of ["timeout: 42% complete", "VipsTracked: out of memory --- size == 99MB", "std::bad_alloc"]) {
        expect(Cause.isDie(yield* causeOf(ours))).toBe(true)
      }
      for (const theirs of ["VipsJpeg: premature end of JPEG image", "Input image exceeds pixel limit"]) {
        expect(Cause.isFailure(yield* causeOf(theirs))).toBe(true)
      }
    })
  )
})
