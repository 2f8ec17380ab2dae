import { expect, it } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Fiber, FiberStatus } from "effect"
import { makeKeyedPermits } from "../../src/platform/concurrency/KeyedPermits.ts"

const atOnce = { concurrency: "unbounded" } as const

/** Lets every fiber that can continue do so. */
const othersTurn = Effect.yieldNow({ priority: 1 })

/** Waits until the fiber waits for something, or has ended. */
const untilItStops = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.repeat(Effect.zipRight(othersTurn, fiber.status), { until: (status) => !FiberStatus.isRunning(status) })

it.live("At most the given number hold a permit of one key at once, and other keys are free", () =>
  Effect.gen(function* () {
    const { take, withPermit } = yield* makeKeyedPermits(2)
    const seen = { now: 0, most: 0 }
    const work = Effect.gen(function* () {
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      yield* othersTurn
      seen.now -= 1
    })
    const ways = [withPermit("a")(work), Effect.scoped(Effect.zipRight(take("a"), work))]
    yield* Effect.all(Arr.makeBy(10, () => ways).flat(), atOnce)
    expect(seen).toEqual({ now: 0, most: 2 })
    yield* Effect.scoped(
      Effect.all([take("a"), take("a")]).pipe(
        Effect.zipRight(withPermit("b")(Effect.void)),
        Effect.timeout("5 seconds")
      )
    )
  })
)

it.live("A waiter that gives up takes no permit, and nobody gets past the holder", () =>
  Effect.gen(function* () {
    const { take, withPermit } = yield* makeKeyedPermits(1)
    const [held, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holder = yield* Effect.fork(
      Effect.scoped(
        take("a").pipe(Effect.zipRight(Deferred.succeed(held, undefined)), Effect.zipRight(Deferred.await(end)))
      )
    )
    yield* Deferred.await(held)
    let passed = 0
    const pass = Effect.sync(() => {
      passed += 1
    })
    const waiting = [
      yield* Effect.fork(withPermit("a")(pass)),
      yield* Effect.fork(Effect.scoped(Effect.zipRight(take("a"), pass)))
    ]
    yield* Effect.forEach(waiting, untilItStops)
    yield* Fiber.interruptAll(waiting)
    const patient = yield* Effect.fork(withPermit("a")(pass))
    yield* untilItStops(patient)
    expect(passed).toBe(0)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(holder)
    yield* Fiber.join(patient)
    expect(passed).toBe(1)
  })
)

it.live("Permits of several keys are taken in one order, so that two holders never wait for each other", () =>
  Effect.gen(function* () {
    const { withPermits } = yield* makeKeyedPermits(1)
    const both = Arr.makeBy(20, (index) => withPermits(index % 2 === 0 ? ["a", "b"] : ["b", "a"])(othersTurn))
    yield* Effect.timeout(Effect.all(both, atOnce), "10 seconds")
  })
)
