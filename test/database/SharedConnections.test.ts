import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Effect, Either, Fiber, Layer } from "effect"
import { quick } from "../../src/platform/LeanStatements.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

interface Answer {
  readonly n: number
  readonly pid: number
}

/** Which connection it went over, and its own number: an answer must not go to another one. */
const ask = (n: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    quick(sql<Answer>`select ${n}::int as n, pg_backend_pid() as pid, 60 / ${n}::int as share`)
  )

const numbers = Arr.range(1, 32)

const askAll = Effect.forEach(numbers, ask, { concurrency: "unbounded" }).pipe(Effect.map(Arr.flatten))

const pidsOf = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ pid }) => pid))]

/** The pool serves until the shared ones are open. */
const shared = Effect.repeat(askAll, { until: (answers) => pidsOf(answers).length <= 4 })

/** As it is when nobody collects spans. */
const Untraced = Layer.merge(TestDatabase, Layer.setTracerEnabled(false))

layer(Untraced, { excludeTestServices: true })("Quick statements", (it) => {
  it.effect("get the answers to their own questions, however many there are at once", () =>
    Effect.gen(function* () {
      expect((yield* askAll).map(({ n }) => n)).toEqual(numbers)
    })
  )

  it.effect("see what the transaction around them did", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = Effect.map(
        quick(sql<{ count: number }>`select count(*)::int as count from model where name = ${"nobody's"}`),
        ([row]) => row?.count
      )
      if (onPostgres) yield* shared
      const inside = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into model (name, model_type, slots, takes_images)
            values ('nobody''s', 'Text', '{}'::text[], false)`
          return yield* count
        })
      )
      expect(yield* inside).toBe(1)
    })
  )

  if (onPostgres) {
    it.effect("share four connections when they come at once", () =>
      Effect.gen(function* () {
        const pids = pidsOf(yield* shared)
        expect(pids).toHaveLength(4)
        expect(pidsOf(yield* askAll)).toEqual(expect.arrayContaining(pids))
      })
    )

    it.effect("fail alone", () =>
      Effect.gen(function* () {
        yield* shared
        const answers = yield* Effect.forEach([1, 0, 2, 0, 3, 4, 5, 6], (n) => Effect.either(ask(n)), {
          concurrency: "unbounded"
        })
        expect(answers.map(Either.isLeft)).toEqual([false, true, false, true, false, false, false, false])
        expect(String(Arr.getLefts(answers)[0]?.cause)).toContain("division by zero")
      })
    )

    it.effect("do not wait behind one that takes long", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* shared
        const slow = yield* Effect.fork(
          Effect.replicateEffect(quick(sql`select pg_sleep(${20}::int)`), 4, { concurrency: "unbounded" })
        )
        const lasting = sql<{ pid: number }>`select pid from pg_stat_activity
          where query like 'select pg_sleep%' and state = 'active' and datname = current_database()
            and clock_timestamp() - query_start > interval '150 milliseconds'`
        const busy = yield* Effect.repeat(lasting, { until: (rows) => rows.length === 4 })
        const answers = Arr.flatten(yield* Effect.forEach(numbers.slice(0, 8), ask, { concurrency: "unbounded" }))
        expect(answers.map(({ n }) => n)).toEqual(numbers.slice(0, 8))
        expect(pidsOf(answers).filter((pid) => busy.some((row) => row.pid === pid))).toEqual([])
        // Whoever asked has gone: what is left is ended by the server.
        yield* Fiber.interrupt(slow)
        yield* Effect.forEach(busy, ({ pid }) => sql`select pg_cancel_backend(${pid}::int)`)
        expect(pidsOf(yield* shared).sort()).toEqual(busy.map(({ pid }) => pid).sort())
      })
    )

    it.effect("come through when the server ends the connections", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = pidsOf(yield* shared)
        yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
        const after = yield* Effect.repeat(Effect.option(askAll), {
          until: (_) => _._tag === "Some" && pidsOf(_.value).length <= 4
        })
        expect(after._tag === "Some" && pidsOf(after.value).some((pid) => before.includes(pid))).toBe(false)
      })
    )
  }
})
