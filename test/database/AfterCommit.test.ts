import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AfterCommit } from "../../src/platform/database/AfterCommit.ts"
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
