import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { eventually } from "../support/Eventually.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"
import { kindOf, one, other, rowsOf, startNode } from "./JobNodes.ts"

/** Claims that expire soon, but are renewed in time even on a slow machine. */
const brief = { claimSeconds: 10, renewEvery: Duration.millis(500) }

const isOver = ([job]: Effect.Effect.Success<ReturnType<typeof rowsOf>>) =>
  job !== undefined && job.attempts > 0 && job.status !== "Running"

layer(TestDatabase, { excludeTestServices: true })("The claim of a job", (it) => {
  it.scoped("holds while the job is being given up, however long that takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode(brief)
      const kind = kindOf("SlowlyGivenUp")
      let [begun, ended] = [0, 0]
      yield* jobs.handle(
        kind,
        () => Effect.fail("no"),
        (_customerID, _payload, claim) =>
          Effect.sync(() => begun++).pipe(
            Effect.zipRight(Effect.sleep("21 seconds")),
            Effect.zipRight(claim.confirm),
            Effect.zipRight(Effect.sync(() => ended++))
          )
      )
      yield* sql`
        insert into job (customer_id, kind, payload, attempts)
        values (${one}, ${kind.kind}, '{"number": 1}'::jsonb, 9)`
      const rows = yield* eventually(rowsOf(kind.kind), ([row]) => row?.status === "Failed")
      expect([begun, ended, rows[0]?.attempts]).toEqual([1, 1, 10])
    })
  )

  it.scoped("survives a moment in which the database refuses to renew it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode({ claimSeconds: 600, renewEvery: Duration.millis(200) })
      const kind = kindOf("Refused")
      const goOn = yield* Deferred.make<void>()
      yield* jobs.handle(kind, () => Deferred.await(goOn))
      yield* jobs.enqueue(kind, one, { number: 1 })
      yield* eventually(rowsOf(kind.kind), ([row]) => row?.status === "Running")
      yield* sql.unsafe(`
        create sequence refusals;
        create function refuse() returns trigger language plpgsql as $$
          begin perform nextval('refusals'); raise exception 'not now'; end $$;
        create trigger refuse before update on job for each row
          when (old.kind = 'Refused' and new.status = 'Running') execute function refuse()`)
      yield* eventually(
        sql<{ count: number }>`select last_value::int as count from refusals where is_called`,
        ({ length }) => length > 0
      )
      yield* sql.unsafe("drop trigger refuse on job")
      yield* Deferred.succeed(goOn, undefined)
      const [row] = yield* eventually(rowsOf(kind.kind), ([job]) => job?.status !== "Running")
      expect(row).toMatchObject({ status: "Succeeded", attempts: 1 })
    })
  )

  if (onPostgres) {
    it.scoped("holds while a transaction of the work itself locks the job", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const jobs = yield* startNode(brief)
        const kind = kindOf("LongTransaction")
        let begun = 0
        yield* jobs.handle(kind, (_customerID, _payload, claim) =>
          Effect.gen(function* () {
            begun += 1
            yield* claim.confirm
            yield* sql`select pg_sleep(21)`
            yield* claim.confirm
          }).pipe(sql.withTransaction)
        )
        yield* jobs.enqueue(kind, one, { number: 1 })
        const [row] = yield* eventually(rowsOf(kind.kind), isOver)
        expect([begun, row?.status, row?.attempts]).toEqual([1, "Succeeded", 1])
      })
    )

    it.scoped("does not hold up other customers while its job is locked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kind = kindOf("Locked")
        const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* sql`insert into job (customer_id, kind, payload) values (${one}, ${kind.kind}, '{"number": 1}'::jsonb)`
        const holder = yield* sql`select 1 from job where customer_id = ${one} and kind = ${kind.kind} for update`.pipe(
          Effect.zipRight(Deferred.succeed(locked, undefined)),
          Effect.zipRight(Deferred.await(goOn)),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(locked)
        const jobs = yield* startNode()
        const done: Array<number> = []
        yield* jobs.handle(kind, (customerID) => Effect.sync(() => done.push(customerID)))
        for (const number of [1, 2, 3]) yield* jobs.enqueue(kind, other, { number })
        yield* eventually(
          Effect.sync(() => done.length),
          (count) => count === 3
        )
        expect(done).toEqual([other, other, other])
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(holder)
        yield* eventually(
          Effect.sync(() => done.at(-1)),
          (last) => last === one
        )
      })
    )
  }
})
