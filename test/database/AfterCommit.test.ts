import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { AfterCommit, leaveForAfterCommit } from "../../src/platform/database/AfterCommit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Records in a list the work that is left for after a transaction, and the work within it. */
const makeNotes = () => {
  const notes: Array<string> = []
  const note = (text: string) => Effect.sync(() => void notes.push(text))
  const later = (text: string) => Effect.flatMap(AfterCommit, (afterCommit) => afterCommit(note(text)))
  return { notes, note, later }
}

layer(TestDatabase, { excludeTestServices: true })("Work that is left for after a transaction", (it) => {
  it.effect("is done in order when the outermost transaction has committed, and at once without one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, note, notes } = makeNotes()
      yield* later("outside")
      yield* Effect.all([later("first"), sql.withTransaction(later("within")), note("in it")]).pipe(sql.withTransaction)
      expect(notes).toEqual(["outside", "in it", "first", "within"])
    })
  )

  it.effect("is done even if the transaction is interrupted while it commits", () =>
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

  it.effect("is dropped when the transaction is interrupted before it commits", () =>
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

  it.effect("is dropped when the transaction is rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, notes } = makeNotes()
      const work = Effect.zipRight(sql.withTransaction(later("within")), Effect.fail("no"))
      expect(yield* Effect.flip(sql.withTransaction(work))).toBe("no")
      yield* sql.withTransaction(later("next"))
      expect(notes).toEqual(["next"])
    })
  )

  it.effect("is dropped when a nested transaction is rolled back and the outer one goes on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { later, notes } = makeNotes()
      const undone = sql.withTransaction(Effect.zipRight(sql.withTransaction(later("undone")), Effect.fail("no")))
      yield* sql.withTransaction(Effect.all([later("before"), Effect.ignore(undone), later("after")]))
      expect(notes).toEqual(["before", "after"])
    })
  )
})
