import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { AfterCommit, leaveForAfterCommit } from "../../src/platform/database/AfterCommit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Notes in a list what is left for after the transaction, and what comes in it. */
const makeNotes = () => {
  const notes: Array<string> = []
  const note = (text: string) => Effect.sync(() => void notes.push(text))
  const later = (text: string) => Effect.flatMap(AfterCommit, (afterCommit) => afterCommit(note(text)))
  return { notes, note, later }
}

layer(TestDatabase, { excludeTestServices: true })("What is left for after a transaction", (it) => {
  it.effect("is done when the whole of it has committed, in order, and without one at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, note, notes } = makeNotes()
      yield* later("outside")
      yield* Effect.all([later("first"), sql.withTransaction(later("within")), note("in it")]).pipe(sql.withTransaction)
      expect(notes).toEqual(["outside", "in it", "first", "within"])
    })
  )

  it.effect("is done also when nobody waits for it any more while it commits", () =>
    Effect.gen(function* () {
      const [commits, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const commit = Effect.zipRight(Deferred.succeed(commits, undefined), Deferred.await(goOn))
      const sql = leaveForAfterCommit({
        withTransaction: <R, E, A>(work: Effect.Effect<A, E, R>) =>
          Effect.uninterruptibleMask((restore) => Effect.zipLeft(restore(work), commit))
      })
      const { later, notes } = makeNotes()
      const fiber = yield* Effect.fork(sql.withTransaction(later("told")))
      yield* Deferred.await(commits)
      const ending = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(ending)
      expect(notes).toEqual(["told"])
    })
  )

  it.effect("can be given up as long as it is under way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, notes } = makeNotes()
      const begun = yield* Deferred.make<void>()
      const work = Effect.all([later("told"), Deferred.succeed(begun, undefined), Effect.never])
      const fiber = yield* Effect.fork(sql.withTransaction(work))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(notes).toEqual([])
    })
  )

  it.effect("is not done when it is rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, notes } = makeNotes()
      const work = Effect.zipRight(sql.withTransaction(later("within")), Effect.fail("no"))
      expect(yield* Effect.flip(sql.withTransaction(work))).toBe("no")
      yield* sql.withTransaction(later("next"))
      expect(notes).toEqual(["next"])
    })
  )
})
