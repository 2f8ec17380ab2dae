import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Clock, Deferred, Duration, Effect, Queue } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { OldWork, ranks } from "../../src/platform/queue/JobRank.ts"
import { RunAgain } from "../../src/platform/queue/JobRun.ts"
import { enqueueOnOneNode } from "../../src/platform/queue/Periodically.ts"
import { eventually } from "../support/Eventually.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { kindOf, one, other, rowsOf, startNode, third } from "./JobNodes.ts"

const everySucceeded = (rows: ReadonlyArray<{ readonly status: string }>) =>
  rows.every(({ status }) => status === "Succeeded")

layer(TestDatabase, { excludeTestServices: true })("Jobs of many customers", (it) => {
  it.scoped("take turns: one customer's ten thousand do not delay another's single one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode()
      const [kind, finished] = [kindOf("Backlog"), yield* Deferred.make<number>()]
      let begun = 0
      yield* sql`
        insert into job (customer_id, kind, payload)
        select ${one}, 'Backlog', '{"number": 1}'::jsonb from generate_series(1, 10000)`
      yield* jobs.handle(kind, (customerID) =>
        customerID === other
          ? Effect.sync(() => Deferred.unsafeDone(finished, Effect.succeed(begun)))
          : Effect.sync(() => begun++).pipe(Effect.zipRight(Effect.sleep("100 millis")))
      )
      yield* eventually(
        Effect.sync(() => begun),
        (count) => count > 8
      )
      yield* jobs.enqueue(kind, other, { number: 2 })
      const before = begun
      // The jobs that were being claimed at that moment, and not the thousands after them.
      expect((yield* Deferred.await(finished)) - before).toBeLessThanOrEqual(12)
      yield* sql`delete from job where customer_id = ${one} and kind = 'Backlog' and status = 'Queued'`
    })
  )

  it.scoped("take turns even when one job takes very long", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode()
      const finished = yield* Deferred.make<void>()
      yield* jobs.handle(kindOf("Endless"), () => Effect.never)
      yield* jobs.handle(kindOf("Short"), () => Deferred.succeed(finished, undefined))
      yield* Effect.forEach(Array.range(1, 30), (number) => jobs.enqueue(kindOf("Endless"), one, { number }))
      yield* eventually(rowsOf("Endless"), (rows) => rows.filter(({ status }) => status === "Running").length === 8)
      yield* jobs.enqueue(kindOf("Short"), other, { number: 1 })
      yield* Deferred.await(finished)
    })
  )

  it.scoped("leave workers free while models hang, for other work and for a third customer's model calls", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode()
      const [hanging, plain] = [{ ...kindOf("Hanging"), asksModels: true }, kindOf("Plain")]
      const done = yield* Queue.unbounded<string>()
      yield* jobs.handle(plain, (customerID) => Queue.offer(done, `plain ${customerID}`))
      yield* jobs.handle(hanging, (customerID, { number }) =>
        number === 0 ? Queue.offer(done, `asking ${customerID}`) : Effect.never
      )
      const hang = (customerID: CustomerID) =>
        jobs.enqueueAll(
          hanging,
          Array.range(1, 12).map((number) => ({ customerID, payload: { number } }))
        )
      const atWork = (count: number) =>
        eventually(
          sql`/* all customers: a test looks at all of them */ select 1 from job
            where kind = 'Hanging' and status = 'Running'`,
          ({ length }) => length === count
        )
      for (const customerID of [one, other]) yield* hang(customerID)
      yield* atWork(10)
      yield* jobs.enqueue(hanging, third, { number: 0 })
      expect(yield* Queue.take(done)).toBe(`asking ${third}`)
      yield* hang(third)
      yield* atWork(12)
      for (const customerID of [one, other, third]) {
        yield* jobs.enqueue(plain, customerID, { number: 1 })
        expect(yield* Queue.take(done)).toBe(`plain ${customerID}`)
      }
    })
  )

  it.scoped("run by rank within a customer: waited for, fresh, old", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode()
      const [waitedFor, fresh] = [kindOf("Ranked"), { ...kindOf("Ranked"), rank: ranks.fresh }]
      const order: Array<number> = []
      yield* jobs
        .enqueueAll(
          waitedFor,
          [7, 4].map((number) => ({ customerID: one, payload: { number }, key: String(number) }))
        )
        .pipe(Effect.provideService(OldWork, true))
      for (const number of [5, 6]) yield* jobs.enqueue(fresh, one, { number })
      for (const number of [1, 2, 3]) yield* jobs.enqueue(waitedFor, one, { number })
      // An old one is waited for now.
      yield* jobs.enqueue(waitedFor, one, { number: 4 }, "4")
      yield* jobs.handle(waitedFor, (_customerID, { number }) => Effect.sync(() => order.push(number)))
      yield* eventually(rowsOf("Ranked"), everySucceeded)
      expect(order).toEqual([4, 1, 2, 3, 5, 6, 7])
    })
  )

  it.scoped("start at once in the process that has enqueued them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* Effect.clock
      let [isQuiet, asleep] = [true, 0]
      // A long sleep while nothing happens never ends here: only a call wakes the worker up.
      const soundSleep: Clock.Clock = {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
        currentTimeMillis: clock.currentTimeMillis,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        currentTimeNanos: clock.currentTimeNanos,
        sleep: (duration) => {
          if (!isQuiet || Duration.lessThan(duration, "500 millis")) return clock.sleep(duration)
          asleep += 1
          return Effect.never
        }
      }
      const jobs = yield* startNode().pipe(Effect.withClock(soundSleep))
      const ran = yield* Queue.unbounded<number>()
      yield* jobs.handle(kindOf("AtOnce"), (_customerID, { number }) => Queue.offer(ran, number))
      for (const number of Array.range(1, 5)) {
        yield* eventually(
          Effect.sync(() => asleep),
          (times) => times > 0
        )
        isQuiet = false
        yield* jobs.enqueue(kindOf("AtOnce"), one, { number }).pipe(sql.withTransaction)
        expect(yield* Queue.take(ran)).toBe(number)
        asleep = 0
        isQuiet = true
      }
    })
  )

  it.scoped("wait in the queue once per key, and may be enqueued again while they run", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode()
      const kind = kindOf("Keyed")
      const [started, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* jobs.enqueue(kind, one, { number: 1 }, "folder 7")
      expect(yield* jobs.enqueue(kind, one, { number: 1 }, "folder 7")).toBe(first)
      expect(yield* jobs.enqueue(kind, other, { number: 1 }, "folder 7")).not.toBe(first)
      yield* jobs.enqueueAll(
        kind,
        ["folder 7", "folder 8", "folder 8"].map((key) => ({ customerID: one, key, payload: { number: 1 } }))
      )
      expect(yield* rowsOf("Keyed")).toHaveLength(3)
      yield* jobs.enqueueAll(
        kind,
        [one, other].map((customerID) => ({ customerID, key: "folder 9", payload: { number: 1 } }))
      )
      yield* jobs.enqueueAll(
        kind,
        [one, one].map((customerID) => ({ customerID, payload: { number: 1 } }))
      )
      expect(yield* rowsOf("Keyed")).toHaveLength(7)
      yield* jobs.handle(kind, () => Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(release)))
      yield* eventually(rowsOf("Keyed"), (rows) => rows.every(({ status }) => status === "Running"))
      expect(yield* jobs.enqueue(kind, one, { number: 1 }, "folder 7")).not.toBe(first)
      yield* Deferred.succeed(release, undefined)
      yield* eventually(rowsOf("Keyed"), everySucceeded)
    })
  )

  it.scoped("continue later when they say so, as often as they like", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode()
      let slices = 0
      yield* jobs.handle(kindOf("Sliced"), (_customerID, _payload, claim) =>
        Effect.gen(function* () {
          slices += 1
          yield* claim.advance({ total: 1, done: 1 })
          return slices < 25 ? new RunAgain({ pauseSeconds: 0 }) : undefined
        })
      )
      yield* jobs.enqueue(kindOf("Sliced"), one, { number: 1 })
      const [row] = yield* eventually(rowsOf("Sliced"), everySucceeded)
      expect(row).toMatchObject({ attempts: 1, done: 25, error: null })
    })
  )

  it.scoped("keep their claim as long as their node lives", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const timing = { claimSeconds: 600, renewEvery: Duration.millis(200) }
      const [here, there] = [yield* startNode(timing), yield* startNode(timing)]
      const [started, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let runs = 0
      const run = () =>
        Effect.sync(() => runs++).pipe(
          Effect.zipRight(Deferred.succeed(started, undefined)),
          Effect.zipRight(Deferred.await(release))
        )
      yield* here.handle(kindOf("Long"), run)
      yield* there.handle(kindOf("Long"), run)
      yield* here.enqueue(kindOf("Long"), one, { number: 1 })
      yield* Deferred.await(started)
      const left = Effect.map(
        sql<{ seconds: number }>`
          select extract(epoch from due_at - now())::float8 as seconds from job
          where customer_id = ${one} and kind = 'Long'`,
        ([job]) => job?.seconds ?? 0
      )
      for (const _ of Array.range(1, 4)) {
        // As if most of the claim's time had passed.
        yield* sql`
          update job set due_at = now() + interval '1 minute' where customer_id = ${one} and kind = 'Long'`
        yield* eventually(left, (seconds) => seconds > 300)
      }
      yield* Deferred.succeed(release, undefined)
      const [row] = yield* eventually(rowsOf("Long"), everySucceeded)
      expect([runs, row?.attempts]).toEqual([1, 1])
    })
  )

  it.scoped("write nothing more after their claim is lost, and stop", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode({ claimSeconds: 25, renewEvery: Duration.minutes(5) })
      const [started, release, ended] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const write = sql`insert into topic (customer_id, name) values (${one}, 'written by a node that lost its claim')`
      yield* jobs.handle(kindOf("Fenced"), (_customerID, _payload, claim) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(started, undefined)
          yield* Deferred.await(release)
          yield* write.pipe(Effect.zipRight(claim.confirm), sql.withTransaction)
          return yield* Effect.dieMessage("went on without a claim")
        }).pipe(Effect.ensuring(Deferred.succeed(ended, undefined)))
      )
      yield* jobs.enqueue(kindOf("Fenced"), one, { number: 1 })
      yield* Deferred.await(started)
      yield* sql`update job set claims = claims + 1 where customer_id = ${one} and kind = 'Fenced'`
      yield* Deferred.succeed(release, undefined)
      yield* Deferred.await(ended)
      expect(yield* sql`select 1 from topic where customer_id = ${one} and name like 'written by%'`).toEqual([])
      expect(yield* rowsOf("Fenced")).toMatchObject([{ status: "Running", error: null }])
    })
  )

  it.scoped("are interrupted when another node has taken them over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode({ claimSeconds: 25, renewEvery: Duration.millis(100) })
      const [started, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* jobs.handle(kindOf("Stolen"), () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      yield* jobs.enqueue(kindOf("Stolen"), one, { number: 1 })
      yield* Deferred.await(started)
      yield* sql`update job set claims = claims + 1 where customer_id = ${one} and kind = 'Stolen'`
      yield* Deferred.await(interrupted)
    })
  )

  it.scoped("are started by one node at a time when they are periodic", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let times = 0
      const round = enqueueOnOneNode(
        "A test",
        15,
        Effect.sync(() => void times++)
      )
      yield* Effect.all([round, round, round], { concurrency: "unbounded" })
      // The row is visible once the transaction of the work has ended.
      const [row] = yield* eventually(
        sql<{ minutes: number }>`
          select round(extract(epoch from next_at - now()) / 60)::int as minutes from periodic_work
          where name = 'A test'`,
        (rows) => rows.length > 0
      )
      expect([row?.minutes, times]).toEqual([15, 1])
    })
  )
})
