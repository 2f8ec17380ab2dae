import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writtenOnce } from "../../src/platform/database/WrittenOnce.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

interface Values {
  readonly word: string | null
  readonly number: number
}

layer(TestDatabase, { excludeTestServices: true })("A statement that is written once", (it) => {
  it.effect("takes the values of each run, and keeps its constants", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = writtenOnce<Values>(sql, (place) => {
        const word = place((_) => _.word)
        return sql`select ${word}::text as word, ${place((_) => _.number)}::int + ${1}::int as next, ${"1"}::text as one,
          upper(${word}) as loud, ${null}::int as "noNumber", ${null}::text as "noText"`
      })
      const constant = { one: "1", noNumber: null, noText: null }
      expect(yield* run({ word: "a", number: 1 })).toEqual([{ word: "a", next: 2, loud: "A", ...constant }])
      expect(yield* run({ word: null, number: 41 })).toEqual([{ word: null, next: 42, loud: null, ...constant }])
    })
  )

  it.effect("sends a value that it uses in several places once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = writtenOnce<Values>(sql, (place) => {
        const word = place((_) => _.word)
        return sql`select ${word}::text, ${word}::text, ${place((_) => _.number)}::int, ${word}::text`
      })
      const [text, values] = run({ word: "a", number: 7 }).compile()
      expect(text).toBe("select $1::text, $1::text, $2::int, $1::text")
      expect(values).toEqual(["a", 7])
    })
  )
})
