import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, TestClock, TestContext } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import { CustomerRepID } from "../../schema/Ids.ts"
import { PresenceBook } from "../../src/hub/PresenceBook.ts"
import { PresenceRepo } from "../../src/representatives/PresenceRepo.ts"
import { acmeAdmin } from "../support/Logins.ts"

const rep = (id: number): Representative => ({
  ...acmeAdmin,
  _tag: "Representative",
  customerRepID: CustomerRepID.make(id),
  impersonated: false
})

/** A book over a database that responds to nothing, not even to a cancellation, until it is told to. */
const openBook = Effect.gen(function* () {
  const responds = yield* Deferred.make<void>()
  const writes: Array<string> = []
  const write = (what: string, ids: ReadonlyArray<number>) =>
    Effect.zipRight(
      Effect.sync(() => void writes.push(`${what} ${ids.join(" ")}`)),
      Effect.uninterruptible(Deferred.await(responds))
    )
  const idsOf = (reps: ReadonlyArray<Pick<Representative, "customerRepID">>) => reps.map((one) => one.customerRepID)
  const repo = Layer.succeed(PresenceRepo, {
    isAgentAvailable: () => Effect.succeed(true),
    renew: (_nodeID, reps) => write("renewed", idsOf(reps)),
    strikeOff: (_nodeID, reps) => write("struck off", idsOf(reps)),
    strikeOffNode: () => write("struck off all", [])
  })
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(PresenceBook.layer.pipe(Layer.provide(repo)), scope)
  const respond = Effect.asVoid(Deferred.succeed(responds, undefined))
  yield* Effect.addFinalizer(() => respond)
  return { book: Context.get(context, PresenceBook), close: Scope.close(scope, Exit.void), respond, writes }
})

/** Runs it as the hub does, in an uninterruptible region, and checks that it ends after two seconds. */
const endsInTime = (work: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.uninterruptible(work))
    yield* TestClock.adjust("1900 millis")
    expect((yield* fiber.poll)._tag).toBe("None")
    yield* TestClock.adjust("100 millis")
    expect((yield* fiber.poll)._tag).toBe("Some")
  })

it.scopedLive(
  "A database that does not respond holds up nobody who connects or leaves, nor the end of the node, for longer than two seconds",
  () =>
    Effect.gen(function* () {
      const { book, close } = yield* openBook
      yield* endsInTime(book.entered(rep(1)))
      yield* endsInTime(
        Effect.forEach([2, 3, 4], (id) => book.entered(rep(id)), { concurrency: "unbounded", discard: true })
      )
      yield* endsInTime(book.left(rep(1)))
      yield* endsInTime(close)
    }).pipe(Effect.provide(TestContext.TestContext))
)

it.scopedLive("Those who connect or leave during a write share the next one, and the last word counts", () =>
  Effect.gen(function* () {
    const { book, close, respond, writes } = yield* openBook
    const all = yield* Effect.forEach(
      [book.entered(rep(1)), book.entered(rep(2)), book.entered(rep(3)), book.left(rep(2)), book.left(rep(1))],
      // The clock moves on once every fiber waits.
      (work) => Effect.zipLeft(Effect.fork(work), TestClock.adjust("1 millis"))
    )
    yield* respond
    yield* Fiber.joinAll(all)
    expect(writes).toEqual(["renewed 1", "renewed 3", "struck off 2 1"])
    yield* close
    expect(writes.at(-1)).toBe("struck off all ")
  }).pipe(Effect.provide(TestContext.TestContext))
)
