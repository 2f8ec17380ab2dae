import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Data, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, LogLevel, Schema, Scope } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { OldWork } from "../../src/platform/queue/JobRank.ts"
import { Jobs, StopWork } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const customerID = CustomerID.make(1)

class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

const kindOf = (kind: string) => ({ kind, payload: Schema.Struct({ number: Schema.Int }) })

const Quiet = Logger.minimumLogLevel(LogLevel.None)

/** The workers of one node, which run until the scope ends and so long after it. */
const startPatientNode = (within: Duration.Duration, logging = Quiet) =>
  Effect.map(
    Layer.build(
      Layer.fresh(Jobs.layer.pipe(Layer.provide(Stopping.layer))).pipe(
        Layer.provide([StatementAudit, logging, Layer.succeed(StopWork, { within })])
      )
    ),
    (context) => Effect.provide(Jobs, context)
  ).pipe(Effect.flatten)

const startNode = startPatientNode(Duration.zero)

const rowsOf = (kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; attempts: number; error: string | null; waits: boolean }>`
      select status, attempts, error, due_at > now() as waits from job
      where customer_id = ${customerID} and kind = ${kind}`
  )

const insert = (
  kind: string,
  { number = 1, ...state }: { status: string; attempts: number; dueInSeconds: number; number?: number }
) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into job (customer_id, kind, payload, status, attempts, due_at)
      values (${customerID}, ${kind}, jsonb_build_object('number', ${number}::int), ${state.status}, ${state.attempts},
        now() + make_interval(secs => ${state.dueInSeconds}::int))`
  )

const dueNow = (kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update job set due_at = now() where customer_id = ${customerID} and kind = ${kind}`
  )

layer(TestDatabase, { excludeTestServices: true })("Jobs", (it) => {
  it.scoped("run once each, however many nodes look for work", () =>
    Effect.gen(function* () {
      const kind = kindOf("Once")
      const ran: Array<number> = []
      const [one, other] = [yield* startNode, yield* startNode]
      for (const node of [one, other]) {
        yield* node.handle(kind, (owner, { number }) =>
          Effect.sync(() => {
            expect(owner).toBe(customerID)
            ran.push(number)
          })
        )
      }
      const numbers = Array.range(1, 60)
      yield* Effect.forEach(numbers, (number) => one.enqueue(kind, customerID, { number }))
      yield* eventually(rowsOf("Once"), (rows) => rows.every(({ status }) => status === "Succeeded"))
      expect(ran.toSorted((a, b) => a - b)).toEqual(numbers)
    })
  )

  it.scoped("exist only if the transaction that enqueued them commits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode
      const enqueue = jobs.enqueue(kindOf("InTransaction"), customerID, { number: 1 })
      yield* enqueue.pipe(Effect.zipRight(Effect.fail("no")), sql.withTransaction, Effect.flip)
      expect(yield* rowsOf("InTransaction")).toEqual([])
      yield* enqueue.pipe(sql.withTransaction)
      expect(yield* rowsOf("InTransaction")).toHaveLength(1)
    })
  )

  it.scoped("are retried after a pause when they fail, and say why", () =>
    Effect.gen(function* () {
      const kind = kindOf("FailsTwice")
      let tries = 0
      const jobs = yield* startNode
      yield* jobs.handle(kind, () =>
        Effect.suspend(() => {
          tries += 1
          if (tries === 1) return Effect.fail(new Broken({ message: "the first reason" }))
          return tries === 2 ? Effect.die(new Error("the second reason")) : Effect.void
        })
      )
      // The pauses after later attempts are so long that none of them ends by itself during the test.
      yield* insert("FailsTwice", { status: "Queued", attempts: 6, dueInSeconds: 0 })
      const [first] = yield* eventually(rowsOf("FailsTwice"), ([row]) => row?.error !== null)
      expect(first).toMatchObject({ status: "Queued", attempts: 7, error: "the first reason", waits: true })
      yield* dueNow("FailsTwice")
      const [second] = yield* eventually(rowsOf("FailsTwice"), ([row]) => row?.error?.includes("second") === true)
      expect(second).toMatchObject({ status: "Queued", attempts: 8, waits: true })
      yield* dueNow("FailsTwice")
      const [third] = yield* eventually(rowsOf("FailsTwice"), ([row]) => row?.status === "Succeeded")
      expect(third).toMatchObject({ attempts: 9, error: null })
    })
  )

  it.scoped("end as Failed after ten attempts, even when every attempt killed its node", () =>
    Effect.gen(function* () {
      let ran = 0
      const jobs = yield* startNode
      for (const name of ["FailsAlways", "KillsItsNode"]) {
        yield* jobs.handle(kindOf(name), () =>
          Effect.suspend(() => {
            ran += 1
            return Effect.fail(new Broken({ message: "never" }))
          })
        )
      }
      yield* insert("FailsAlways", { status: "Queued", attempts: 9, dueInSeconds: 0 })
      yield* insert("KillsItsNode", { status: "Running", attempts: 10, dueInSeconds: 0 })
      yield* eventually(rowsOf("FailsAlways"), ([row]) => row?.status === "Failed")
      const [given] = yield* eventually(rowsOf("KillsItsNode"), ([row]) => row?.status === "Failed")
      expect(given?.error).toContain("Given up")
      expect(ran).toBe(1)
    })
  )

  it.scoped("are taken over when the claim of their node has expired, not before", () =>
    Effect.gen(function* () {
      yield* insert("Orphan", { status: "Running", attempts: 1, dueInSeconds: 0 })
      yield* insert("Claimed", { status: "Running", attempts: 1, dueInSeconds: 600 })
      yield* insert("Later", { status: "Queued", attempts: 0, dueInSeconds: 600 })
      const jobs = yield* startNode
      for (const name of ["Orphan", "Claimed", "Later"]) yield* jobs.handle(kindOf(name), () => Effect.void)
      const [orphan] = yield* eventually(rowsOf("Orphan"), ([row]) => row?.status === "Succeeded")
      expect(orphan?.attempts).toBe(2)
      expect(yield* rowsOf("Claimed")).toMatchObject([{ status: "Running", attempts: 1 }])
      expect(yield* rowsOf("Later")).toMatchObject([{ status: "Queued", attempts: 0 }])
    })
  )

  it.scoped("are no longer touched by a node that lost its claim", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [started, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const jobs = yield* startNode
      const kind = kindOf("Stalled")
      yield* jobs.handle(kind, () => Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(release)))
      yield* jobs.enqueue(kind, customerID, { number: 1 })
      yield* Deferred.await(started)
      yield* sql`update job set attempts = 2 where customer_id = ${customerID} and kind = 'Stalled'`
      yield* Deferred.succeed(release, undefined)
      // Once the node runs the next jobs it is free again, and so has reported the outcome of this one.
      yield* jobs.handle(kindOf("Next"), () => Effect.void)
      yield* Effect.forEach(Array.range(1, 8), (number) => jobs.enqueue(kindOf("Next"), customerID, { number }))
      yield* eventually(rowsOf("Next"), (rows) => rows.every(({ status }) => status === "Succeeded"))
      expect(yield* rowsOf("Stalled")).toMatchObject([{ status: "Running", attempts: 2 }])
    })
  )

  it.effect("go back into the queue at once when their node stops", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const jobs = yield* startNode
          yield* jobs.handle(kindOf("Interrupted"), () =>
            Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
          )
          yield* jobs.enqueue(kindOf("Interrupted"), customerID, { number: 1 })
          yield* Deferred.await(started)
        })
      )
      expect(yield* rowsOf("Interrupted")).toMatchObject([{ status: "Queued", waits: false }])
    })
  )

  it.effect("keep their key and their number of attempts when they go back", () =>
    Effect.gen(function* () {
      const kind = kindOf("InterruptedUnderKey")
      const started = yield* Deferred.make<void>()
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const jobs = yield* startNode
          yield* jobs.handle(kind, () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
          const jobID = yield* jobs.enqueue(kind, customerID, { number: 1 }, "folder 7")
          yield* Deferred.await(started)
          return jobID
        })
      )
      const second = yield* Effect.scoped(
        Effect.flatMap(startNode, (jobs) => jobs.enqueue(kind, customerID, { number: 1 }, "folder 7"))
      )
      expect(second).toBe(first)
      expect(yield* rowsOf(kind.kind)).toMatchObject([{ status: "Queued", attempts: 1 }])
    })
  )

  it.scoped("count as open until they end, for their customer and unless they stand further back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const kind = kindOf("Open")
      const jobs = yield* startNode
      const numbers = Array.range(1, 5)
      yield* Effect.forEach(["Queued", "Running", "Succeeded", "Failed", "Queued"], (status, index) =>
        insert(kind.kind, { status, attempts: 1, dueInSeconds: 3600, number: index + 1 })
      )
      yield* sql`update job set rank = 2 where customer_id = ${customerID} and kind = ${kind.kind} and payload ->> 'number' = '5'`
      const leftOf = (owner: CustomerID) =>
        Effect.map(
          jobs.withoutOpen(
            kind,
            numbers.map((number) => ({ customerID: owner, payload: { number } }))
          ),
          Array.map(({ payload }) => payload.number)
        )
      expect(yield* leftOf(customerID)).toEqual([3, 4, 5])
      expect(yield* leftOf(CustomerID.make(2))).toEqual(numbers)
      expect(yield* Effect.provideService(leftOf(customerID), OldWork, true)).toEqual([3, 4])
    })
  )

  it.effect("are named in the log when they cannot go back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const kind = kindOf("NotPutBack")
      const started = yield* Deferred.make<void>()
      const logged: Array<unknown> = []
      const capture = Logger.make(({ message }) => void logged.push(message))
      yield* sql.unsafe(`
        create function keep_running() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
        create trigger keep_running before update on job for each row
          when (old.kind = 'NotPutBack' and new.status = 'Queued') execute function keep_running()`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const jobs = yield* startPatientNode(Duration.zero, Logger.replace(Logger.defaultLogger, capture))
          yield* jobs.handle(kind, () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
          yield* jobs.enqueue(kind, customerID, { number: 1 })
          yield* Deferred.await(started)
        })
      )
      yield* sql.unsafe("drop trigger keep_running on job")
      expect(logged.flat()).toContain("could not return a job to the queue")
    })
  )

  it.effect("may finish before their node stops", () =>
    Effect.gen(function* () {
      const [started, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const scope = yield* Scope.make()
      const jobs = yield* startPatientNode(Duration.seconds(30)).pipe(Scope.extend(scope))
      yield* jobs.handle(kindOf("Ending"), () => Effect.zipRight(Deferred.succeed(started, undefined), letGo))
      yield* jobs.enqueue(kindOf("Ending"), customerID, { number: 1 })
      yield* Deferred.await(started)
      const stopped = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow()
      expect(yield* rowsOf("Ending")).toMatchObject([{ status: "Running" }])
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(stopped)
      expect(yield* rowsOf("Ending")).toMatchObject([{ status: "Succeeded", attempts: 1 }])
    })
  )

  it.scoped("do not wait for a slow one", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode
      yield* jobs.handle(kindOf("Slow"), () => Effect.never)
      yield* jobs.handle(kindOf("Quick"), () => Effect.void)
      yield* jobs.enqueue(kindOf("Slow"), customerID, { number: 1 })
      yield* eventually(rowsOf("Slow"), ([row]) => row?.status === "Running")
      yield* jobs.enqueue(kindOf("Quick"), customerID, { number: 1 })
      yield* eventually(rowsOf("Quick"), ([row]) => row?.status === "Succeeded")
      expect(yield* rowsOf("Slow")).toMatchObject([{ status: "Running" }])
    })
  )
})
