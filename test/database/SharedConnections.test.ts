import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Either, Fiber, Layer } from "effect"
import { quick } from "../../src/platform/database/LeanStatements.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

interface Answer {
  readonly n: number
  readonly pid: number
}

/** Asks for its own number and its connection: no answer may go to another statement. */
const ask = (n: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    quick(sql<Answer>`select ${n}::int as n, pg_backend_pid() as pid, 60 / ${n}::int as share`)
  )

const numbers = Arr.range(1, 32)

const askAll = Effect.forEach(numbers, ask, { concurrency: "unbounded" }).pipe(Effect.map(Arr.flatten))

const pidsOf = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ pid }) => pid))]

/** Asks until the shared connections are open; the pool serves until then. */
const shared = Effect.repeat(askAll, { until: (answers) => pidsOf(answers).length <= 4 })

/** Without tracing, as when no spans are collected. */
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

    it.effect("fail without failing others", () =>
      Effect.gen(function* () {
        yield* shared
        const answers = yield* Effect.forEach([1, 0, 2, 0, 3, 4, 5, 6], (n) => Effect.either(ask(n)), {
          concurrency: "unbounded"
        })
        expect(answers.map(Either.isLeft)).toEqual([false, true, false, true, false, false, false, false])
        expect(String(Arr.getLefts(answers)[0]?.cause)).toContain("division by zero")
      })
    )

    it.effect("wait only for a moment for a slow one, which keeps its connection to itself", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* shared
        const slow = yield* Effect.fork(
          Effect.replicateEffect(quick(sql`select pg_sleep(${60}::int)`), 4, { concurrency: "unbounded" })
        )
        const lasting = sql<{ pid: number }>`select pid from pg_stat_activity
          where query like 'select pg_sleep%' and state = 'active' and datname = current_database()`
        yield* Effect.repeat(lasting, { until: (rows) => rows.length === 4 })
        expect((yield* askAll).map(({ n }) => n)).toEqual(numbers)
        const pids = pidsOf(yield* shared)
        const busy = yield* Effect.repeat(lasting, { until: (rows) => rows.length === 4 })
        expect(pids.filter((pid) => busy.some((row) => row.pid === pid))).toEqual([])
        yield* Fiber.interrupt(slow)
      })
    )

    it.effect("are all answered when a table was locked for a while", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* shared
        const waiting = sql`select pid from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`
        const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* sql`lock table model in access exclusive mode`.pipe(
          Effect.zipRight(Deferred.succeed(isLocked, undefined)),
          Effect.zipRight(Deferred.await(isOver)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(isLocked)
        const count = Effect.suspend(() => quick(sql`select count(*)::int as count from model where name <> ${""}`))
        const asked = yield* Effect.fork(Effect.replicateEffect(count, 8, { concurrency: "unbounded" }))
        // If they were queued, only the first on each connection would wait for the table.
        yield* Effect.repeat(waiting, { until: (rows) => rows.length === 8 })
        yield* Deferred.succeed(isOver, undefined)
        expect(yield* Fiber.join(asked)).toHaveLength(8)
      })
    )

    it.effect("get new connections when the server ends the old ones", () =>
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
