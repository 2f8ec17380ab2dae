import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import {
  Array as Arr,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Redacted,
  Schedule,
  Scope
} from "effect"
import { inject } from "vitest"
import { inOneLine } from "../../src/KnownError.ts"
import { StartPatience } from "../../src/platform/concurrency/StartPatience.ts"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { isDatabaseAway } from "../../src/platform/database/DatabaseAway.ts"
import { quick } from "../../src/platform/database/LeanStatements.ts"
import { SilenceLimits, withoutLimit } from "../../src/platform/database/SilenceLimits.ts"
import { eventually } from "../support/Eventually.ts"
import { throughPooler, throughRefusing, throughVanishing } from "../support/Pooler.ts"
import { freePort } from "../support/Processes.ts"
import { copyOfTemplate, onPostgres, TestDatabase } from "../support/TestDatabase.ts"
import { testRowsOnly } from "./RowsOnly.ts"

const setting = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ value: string }>`select current_setting(${name}) as value`
    return row?.value
  })

const names = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`select name from model order by name`
  return rows.map(({ name }) => name)
})

const add = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into model (name, model_type, slots, takes_images) values (${name}, 'Text', '{}'::text[], false)`
  )

layer(TestDatabase, { excludeTestServices: true })("The database", (it) => {
  it.effect("returns the same types, embedded or not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`
        select 1::int as "int", 9007199254740993::bigint as "big", 1.50::numeric as "exact", 1.5::float8 as "float",
          true as "bool", 'x'::text as "text", '{"a":[1]}'::jsonb as "json", array['a', 'b'] as "list", null as "none",
          '2026-01-02T03:04:05.678Z'::timestamptz as "at", ${[..."ab"]}::text[] as "given"`
      expect(row).toEqual({
        int: 1,
        big: "9007199254740993",
        exact: "1.50",
        float: 1.5,
        bool: true,
        text: "x",
        json: { a: [1] },
        list: ["a", "b"],
        none: null,
        at: new Date("2026-01-02T03:04:05.678Z"),
        given: ["a", "b"]
      })
    })
  )

  it.effect("undoes a transaction that fails or is interrupted, and serves the next", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* names
      yield* Effect.exit(sql.withTransaction(Effect.zipRight(add("lost by failure"), Effect.fail("no"))))
      const written = yield* Deferred.make<void>()
      const fiber = yield* sql
        .withTransaction(
          add("lost by interruption").pipe(
            Effect.zipRight(Deferred.succeed(written, undefined)),
            Effect.zipRight(Effect.never)
          )
        )
        .pipe(Effect.fork)
      yield* Deferred.await(written)
      yield* fiber.interruptAsFork(fiber.id())
      expect(Exit.isInterrupted(yield* fiber.await)).toBe(true)
      expect(yield* names).toEqual(before)
    })
  )

  it.effect("rolls back only the inner transaction when that fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inner = sql.withTransaction(Effect.zipRight(add("inner"), sql`select nothing`))
      yield* sql.withTransaction(Effect.zipRight(add("outer"), Effect.ignore(inner)))
      expect(yield* names).toContain("outer")
      expect(yield* names).not.toContain("inner")
    })
  )

  it.effect("keeps count over many concurrent transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table counter (value integer not null)`
      yield* sql`insert into counter values (0)`
      const increment = Effect.gen(function* () {
        const [row] = yield* sql<{ value: number }>`select value from counter for update`
        yield* Effect.yieldNow()
        yield* sql`update counter set value = ${(yield* Effect.fromNullable(row)).value + 1}`
      }).pipe(sql.withTransaction)
      yield* Effect.replicateEffect(increment, 40, { concurrency: 40, discard: true })
      expect(yield* sql`select value from counter`).toEqual([{ value: 40 }])
    })
  )
})

/** The embedded database runs in the thread of the process, where a timer could not stop a statement. */
if (onPostgres) {
  layer(TestDatabase, { excludeTestServices: true })("A connection to PostgreSQL", (it) => {
    it.effect("ends statements that take too long and transactions that are idle", () =>
      Effect.gen(function* () {
        expect(yield* setting("statement_timeout")).toBe("30s")
        expect(yield* setting("idle_in_transaction_session_timeout")).toBe("1min")
        expect(yield* setting("application_name")).toBe("casework")
      })
    )

    it.effect("never compiles a statement just in time", () =>
      Effect.gen(function* () {
        expect(yield* setting("jit")).toBe("off")
      })
    )

    it.scoped("is refused to a database that cannot hold every text", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        for (const [encoding, problem] of [
          ["SQL_ASCII", "its encoding is SQL_ASCII and must be UTF8"],
          ["WIN1251", "its encoding is WIN1251 and must be UTF8"],
          ["UTF8", "its locale supports upper and lower case only for ASCII letters"]
        ]) {
          const url = yield* copyOfTemplate(template.url, `template0 encoding '${encoding}' locale 'C'`)
          const refused = yield* Effect.flip(Effect.sandbox(Layer.build(layerFromUrl(url))))
          expect(inOneLine(refused)).toBe(
            `The database at DATABASE_URL cannot be used: ${problem}. Create another database: create database … encoding 'UTF8' locale 'C.UTF-8' template template0`
          )
        }
      })
    )

    it.scoped("is retried while the server starts or has no room, but not when it refuses for good", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const address = yield* copyOfTemplate(template.url, template.name)
        const warnings: Array<string> = []
        const noting = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ logLevel, message }) => void warnings.push(`${logLevel.label} ${message}`))
        )
        const starting = yield* throughRefusing(address, ["57P03", "53300", "57P03"])
        const clients = yield* Effect.provide(Layer.build(layerFromUrl(starting.url)), noting)
        expect(yield* Effect.provide(setting("application_name"), clients)).toBe("casework")
        expect(warnings).toEqual(Arr.replicate(expect.stringMatching(/^WARN waiting for the database/), 3))
        for (const code of ["28P01", "3D000"]) {
          const refusing = yield* throughRefusing(address, [code, code])
          const refused = yield* Effect.flip(Effect.sandbox(Layer.build(layerFromUrl(refusing.url))))
          expect(inOneLine(refused)).toBe("The database at DATABASE_URL cannot be reached: not now")
          expect(refusing.left()).toBe(1)
        }
      })
    )

    it.scoped("is not retried for longer than the start may take", () =>
      Effect.gen(function* () {
        const nobody = Redacted.make(`postgres://postgres@127.0.0.1:${yield* freePort}/test`)
        const refused = yield* Layer.build(layerFromUrl(nobody)).pipe(
          Effect.provideService(StartPatience, Duration.millis(500)),
          Effect.sandbox,
          Effect.flip
        )
        expect(inOneLine(refused)).toMatch(/^The database at DATABASE_URL cannot be reached: .*ECONNREFUSED/)
      })
    )

    it.scoped("works through a pooler that refuses startup settings, with the same settings", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const { refused, url } = yield* throughPooler(yield* copyOfTemplate(template.url, template.name))
        const clients = yield* Layer.build(layerFromUrl(url))
        const sql = Context.get(clients, SqlClient.SqlClient)
        const answers = Effect.forEach(Arr.range(1, 32), (n) => quick(sql<{ n: number }>`select ${n}::int as n`), {
          concurrency: "unbounded"
        }).pipe(Effect.withTracerEnabled(false))
        const asked = yield* Effect.replicateEffect(answers, 50)
        expect(asked.flat(2).map(({ n }) => n)).toEqual(Arr.flatten(Arr.replicate(Arr.range(1, 32), 50)))
        expect(yield* Effect.provide(setting("statement_timeout"), clients)).toBe("30s")
        expect(refused()).toBe(4)
      })
    )

    it.scoped("is replaced when its host has vanished without a word", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const host = yield* throughVanishing(yield* copyOfTemplate(template.url, template.name))
        const clients = yield* Layer.build(layerFromUrl(host.url)).pipe(
          Effect.provideService(SilenceLimits, { pooled: 6000, shared: 5000 })
        )
        const sql = Context.get(clients, SqlClient.SqlClient)
        const numbers = Arr.range(1, 32)
        const answers = Effect.forEach(numbers, (n) => quick(sql<{ n: number }>`select ${n}::int as n`), {
          concurrency: "unbounded"
        }).pipe(Effect.withTracerEnabled(false), Effect.map(Arr.flatten))
        // Asks until the shared connections are open.
        yield* Effect.replicateEffect(answers, 50)
        const goOn = yield* Deferred.make<void>()
        let begun = 0
        const begin = Effect.sync(() => {
          begun += 1
        })
        const one = sql`select 1`
        const halves = Effect.forEach(
          Arr.range(1, 8),
          () => Effect.exit(sql.withTransaction(Effect.all([one, begin, Deferred.await(goOn), one]))),
          { concurrency: "unbounded" }
        )
        const breaking = yield* Effect.fork(halves)
        const alone = yield* Effect.fork(sql`select pg_sleep(60)`)
        yield* eventually(
          Effect.sync(() => begun),
          (now) => now === 8
        )
        const isUnderWay = sql`
          select 1 from pg_stat_activity
          where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`
        yield* eventually(isUnderWay, ({ length }) => length === 1)
        yield* host.vanish
        yield* host.comeBack
        yield* Deferred.succeed(goOn, undefined)
        const broken = yield* Fiber.join(breaking)
        expect(broken.map((exit) => Exit.isFailure(exit) && isDatabaseAway(exit.cause))).toEqual(Arr.replicate(true, 8))
        expect(yield* Effect.flip(Effect.sandbox(Fiber.join(alone)))).toSatisfy(isDatabaseAway)
        // Connections that were idle when the host vanished are found dead when they are next used.
        expect((yield* Effect.eventually(answers)).map(({ n }) => n)).toEqual(numbers)
        expect((yield* halves).filter(Exit.isFailure)).toEqual([])
      })
    )

    it.scoped("is replaced even if all the callers that wait give up early and retry", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const host = yield* throughVanishing(yield* copyOfTemplate(template.url, template.name))
        // Longer than giving up takes: the library tries for five seconds to have the server cancel the statement.
        const clients = yield* Layer.build(layerFromUrl(host.url)).pipe(
          Effect.provideService(SilenceLimits, { pooled: 20_000, shared: 20_000 })
        )
        const sql = Context.get(clients, SqlClient.SqlClient)
        const all = Arr.range(1, 16)
        const open = Effect.forEach(all, () => sql`select pg_sleep(0.1)`, { concurrency: "unbounded" })
        yield* open
        yield* host.vanish
        yield* host.comeBack
        const impatiently = Effect.retry(Effect.timeout(sql`select 1`, "200 millis"), Schedule.forever)
        // If the time were counted from scratch for each caller, this would take twice as long.
        const asked = yield* Effect.forEach(all, () => impatiently, { concurrency: "unbounded" }).pipe(
          Effect.timeoutOption("35 seconds")
        )
        expect(asked._tag).toBe("Some")
      })
    )

    it.scoped("waits for a migration however long it is silent, but not for the next transaction", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const clients = yield* Layer.build(layerFromUrl(yield* copyOfTemplate(template.url, template.name))).pipe(
          Effect.provideService(SilenceLimits, { pooled: 3000, shared: 3000 })
        )
        const sql = Context.get(clients, SqlClient.SqlClient)
        const long = sql`select pg_sleep(6)`
        yield* sql.withTransaction(Effect.zipRight(sql.unsafe(withoutLimit), long))
        expect(Exit.isFailure(yield* Effect.exit(sql.withTransaction(long)))).toBe(true)
      })
    )

    it.scoped("can be closed even if a reserved connection is never given back", () =>
      Effect.gen(function* () {
        const template = inject("template")
        if (template.kind !== "postgres") return
        const url = yield* copyOfTemplate(template.url, template.name)
        const opened = yield* Scope.make()
        const clients = yield* Layer.buildWithScope(layerFromUrl(url), opened)
        yield* Context.get(clients, SqlClient.SqlClient).reserve
        const closed = yield* Effect.option(
          Effect.timeout(Effect.disconnect(Scope.close(opened, Exit.void)), "30 seconds")
        )
        expect(closed._tag).toBe("Some")
      })
    )

    it.effect("completes both of two transactions that wait for each other", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.forEach(["left", "right"], add)
        const tries = { left: 0, right: 0 }
        const [leftHeld, rightHeld] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const touch = (name: string) => sql`update model set slots = slots || ${[name]}::text[] where name = ${name}`
        const both = (
          [mine, held]: readonly ["left" | "right", Deferred.Deferred<void>],
          [other, otherHeld]: readonly ["left" | "right", Deferred.Deferred<void>]
        ) =>
          Effect.gen(function* () {
            tries[mine] += 1
            yield* touch(mine)
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(otherHeld)
            // Nested in another transaction: it cannot start over alone.
            yield* sql.withTransaction(touch(other))
          }).pipe(sql.withTransaction)
        const [left, right] = [["left", leftHeld] as const, ["right", rightHeld] as const]
        yield* Effect.all([both(left, right), both(right, left)], { concurrency: 2 })
        expect(tries.left + tries.right).toBeGreaterThan(2)
        expect(yield* sql`select cardinality(slots) as times from model where name in ('left', 'right')`).toEqual([
          { times: 2 },
          { times: 2 }
        ])
      })
    )

    it.effect("repeats a transaction when a row that it refers to is gone, and gives up in the end", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const looked: Array<number> = []
        const hire = (customerID: number) =>
          Effect.zipRight(
            Effect.sync(() => looked.push(customerID)),
            sql`insert into login_hostname (customer_id, hostname) values (${customerID}, ${`h${looked.length}`})`
          )
        yield* sql.withTransaction(Effect.suspend(() => hire(looked.length === 0 ? -1 : 1)))
        expect(looked).toEqual([-1, 1])
        const refused = yield* Effect.exit(sql.withTransaction(hire(-1).pipe(Effect.orDie)))
        expect(Exit.isFailure(refused)).toBe(true)
        expect(looked).toEqual([-1, 1, -1, -1, -1])
        const wrong = yield* Effect.exit(sql.withTransaction(Effect.zipRight(hire(1), sql`select nothing`)))
        expect(Exit.isFailure(wrong)).toBe(true)
        expect(looked).toHaveLength(6)
      })
    )
  })
}

const template = inject("template")
if (template.kind === "postgres") testRowsOnly(template)
