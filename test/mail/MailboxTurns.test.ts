import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Fiber, Option } from "effect"
import { makeMailboxTurns } from "../../src/mail/MailboxTurns.ts"
import { eventually } from "../support/Eventually.ts"
import { minutesLater } from "../support/MinutesLater.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

type Turns = Effect.Effect.Success<typeof makeMailboxTurns>

/** Requests to one mailbox, with a count of how many overlap. */
const requestsTo = (mailbox: string) => {
  const seen = { atOnce: 0, mostAtOnce: 0, done: 0 }
  const request = (turns: Turns, millis = 20) =>
    Effect.gen(function* () {
      yield* turns.take(mailbox)
      seen.atOnce += 1
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce)
      yield* Effect.sleep(millis)
      seen.atOnce -= 1
      seen.done += 1
    }).pipe(Effect.scoped)
  return { seen, request }
}

const turnsAt = (mailbox: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 from mailbox_turn where mailbox = ${mailbox}`)

const atOnce = { concurrency: "unbounded" } as const

layer(TestDatabase, { excludeTestServices: true })("Turns at a mailbox", (it) => {
  it.scoped("are limited to four at a time across two nodes, and both get through", () =>
    Effect.gen(function* () {
      const nodes = [yield* makeMailboxTurns, yield* makeMailboxTurns]
      const { request, seen } = requestsTo("both@acme.example")
      const requests = nodes.flatMap((turns) => Arr.replicate(request(turns), 40))
      yield* Effect.all(requests, atOnce)
      expect(seen).toMatchObject({ atOnce: 0, done: 80 })
      expect(seen.mostAtOnce).toBeLessThanOrEqual(4)
      expect(seen.mostAtOnce).toBeGreaterThan(1)
    })
  )

  it.scoped("reach another node even when one never stops asking", () =>
    Effect.gen(function* () {
      const [busy, late] = [yield* makeMailboxTurns, yield* makeMailboxTurns]
      const { request, seen } = requestsTo("busy@acme.example")
      const work = yield* Effect.fork(Effect.all(Arr.replicate(Effect.forever(request(busy)), 6), atOnce))
      yield* eventually(
        Effect.sync(() => seen.mostAtOnce),
        (most) => most === 4
      )
      yield* Effect.all(Arr.replicate(request(late), 5), atOnce)
      expect(seen.mostAtOnce).toBe(4)
      yield* Fiber.interrupt(work)
    })
  )

  it.scoped("are reused, and released soon after the last request", () =>
    Effect.gen(function* () {
      const turns = yield* makeMailboxTurns
      const { request, seen } = requestsTo("Idle@Acme.example")
      yield* Effect.replicateEffect(request(turns, 1), 30)
      expect(seen.done).toBe(30)
      yield* eventually(turnsAt("idle@acme.example"), ({ length }) => length === 0)
    })
  )

  it.scoped("come back by themselves from a node that died", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const started = Date.now()
      yield* sql`
        insert into mailbox_turn (mailbox, number, node, ends_at)
        select 'dead@acme.example', number, gen_random_uuid(), now() + interval '2 seconds'
        from generate_series(1, 4) number`
      const { request, seen } = requestsTo("dead@acme.example")
      yield* request(yield* makeMailboxTurns)
      expect(Date.now() - started).toBeGreaterThan(1000)
      expect(seen.done).toBe(1)
    })
  )

  it.scoped("are granted to no node while the provider asks to be left alone", () =>
    Effect.gen(function* () {
      const [told, other] = [yield* makeMailboxTurns, yield* makeMailboxTurns]
      const { request, seen } = requestsTo("throttled@acme.example")
      const started = Date.now()
      yield* told.pause("Throttled@acme.example", 1500)
      yield* told.pause("throttled@acme.example", 100)
      yield* Effect.all([request(told), request(other)], atOnce)
      expect(Date.now() - started).toBeGreaterThanOrEqual(1400)
      expect(seen.done).toBe(2)
      const { request: elsewhere, seen: free } = requestsTo("free@acme.example")
      yield* elsewhere(other)
      expect(free.done).toBe(1)
    })
  )

  it.scoped("are granted after a pause, even when the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const turns = yield* makeMailboxTurns
      const { request, seen } = requestsTo("paused@acme.example")
      yield* turns.pause("paused@acme.example", 1000)
      yield* request(turns).pipe(Effect.timeoutOption("20 seconds"), minutesLater(-60))
      expect(seen.done).toBe(1)
    })
  )

  it.scoped("are released and reach other nodes, even when the clock was set back", () =>
    Effect.gen(function* () {
      const [busy, late] = [yield* makeMailboxTurns, yield* makeMailboxTurns]
      const { request, seen } = requestsTo("back@acme.example")
      const work = yield* Effect.fork(Effect.all(Arr.replicate(Effect.forever(request(busy)), 6), atOnce))
      yield* eventually(turnsAt("back@acme.example"), ({ length }) => length === 4)
      yield* Effect.gen(function* () {
        const { done } = seen
        const other = yield* Effect.timeoutOption(request(late), "20 seconds")
        expect(Option.isSome(other)).toBe(true)
        expect(seen.done).toBeGreaterThan(done + 1)
        yield* Fiber.interrupt(work)
        const gone = eventually(turnsAt("back@acme.example"), ({ length }) => length === 0)
        expect(Option.isSome(yield* Effect.timeoutOption(gone, "20 seconds"))).toBe(true)
      }).pipe(minutesLater(-60))
    })
  )

  it.scoped("are not lost when a waiting request is interrupted", () =>
    Effect.gen(function* () {
      const mailbox = "gone@acme.example"
      const turns = yield* makeMailboxTurns
      const end = yield* Deferred.make<void>()
      const hold = Effect.scoped(Effect.zipRight(turns.take(mailbox), Deferred.await(end)))
      const held = yield* Effect.replicateEffect(Effect.fork(hold), 4)
      yield* eventually(turnsAt(mailbox), ({ length }) => length === 4)
      const waiting = yield* Effect.fork(hold)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.joinAll(held)
      yield* eventually(turnsAt(mailbox), ({ length }) => length === 0)
    })
  )

  it.scoped("do not hold an interrupted request whose predecessor waits for the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const turns = yield* makeMailboxTurns
      const { request, seen } = requestsTo("behind@acme.example")
      const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = yield* sql`lock table mailbox_turn in access exclusive mode`.pipe(
        Effect.zipRight(Deferred.succeed(locked, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(locked)
      const asking = yield* Effect.fork(request(turns))
      const behind = yield* Effect.fork(request(turns))
      // Until one waits for the database, and the other waits for the first.
      yield* Effect.yieldNow({ priority: 10 }).pipe(Effect.repeatN(100))
      const ended = yield* Effect.timeoutOption(Effect.disconnect(Fiber.interrupt(behind)), "5 seconds")
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(slow)
      expect(Option.isSome(ended)).toBe(true)
      yield* Fiber.join(asking)
      expect(seen.done).toBe(1)
      yield* Effect.all(Arr.replicate(request(turns), 5), atOnce)
      yield* eventually(turnsAt("behind@acme.example"), ({ length }) => length === 0)
    })
  )

  it.scoped("are not lost when requests end while the database is asked for them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const turns = yield* makeMailboxTurns
      const { request, seen } = requestsTo("gone@acme.example")
      const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = yield* sql`lock table mailbox_turn in access exclusive mode`.pipe(
        Effect.zipRight(Deferred.succeed(locked, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(locked)
      const gone = yield* Effect.forEach([1, 2, 3, 4], () => Effect.fork(request(turns)))
      // Until all four wait for the database.
      yield* Effect.yieldNow({ priority: 10 }).pipe(Effect.repeatN(100))
      yield* Effect.forEach(gone, Fiber.interruptFork)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(slow)
      yield* Effect.forEach(gone, Fiber.await)
      yield* Effect.all(Arr.replicate(request(turns), 5), atOnce)
      expect(seen.done).toBe(5)
      yield* eventually(turnsAt("gone@acme.example"), ({ length }) => length === 0)
    })
  )
})
