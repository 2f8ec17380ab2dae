import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, LogLevel, Option, Ref, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { type BlobID, BlobStore } from "../../src/files/BlobStore.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { BlobsRepo } from "../../src/files/BlobsRepo.ts"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { sqlState } from "../../src/platform/database/Violations.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"
import { aMessage } from "./Messages.ts"

const acme = CustomerID.make(1)

/** What the store holds, and what it does before it removes something. */
class Inside extends Context.Tag("test/Inside")<
  Inside,
  { readonly held: Set<BlobID>; readonly beforeRemoval: Ref.Ref<Effect.Effect<void>> }
>() {}

/** A store outside of the database, which must not be called in a transaction. */
const OutsideStore = Layer.effect(
  BlobStore,
  Effect.map(Inside, ({ beforeRemoval, held }) =>
    BlobStore.of({
      put: (_, blobID) => Effect.sync(() => held.add(blobID)),
      get: () => Stream.empty,
      getPiece: () => Effect.succeed(new Uint8Array()),
      getOpen: () => Option.none(),
      check: () => Effect.void,
      remove: (_, blobID) =>
        Effect.gen(function* () {
          const transaction = yield* Effect.serviceOption(SqlClient.TransactionConnection)
          if (Option.isSome(transaction)) return yield* Effect.dieMessage("The store was called in a transaction")
          yield* Effect.flatten(Ref.get(beforeRemoval))
          held.delete(blobID)
        })
    })
  )
)

const service = Blobs.layer.pipe(
  Layer.provide(Jobs.layer),
  Layer.provide(Stopping.layer),
  Layer.provide(BlobsRepo.layer),
  Layer.provide(OutsideStore),
  Layer.provideMerge(
    Layer.effect(
      Inside,
      Effect.map(Ref.make(Effect.void), (beforeRemoval) => ({ held: new Set<BlobID>(), beforeRemoval }))
    )
  ),
  Layer.provide(StatementAudit),
  Layer.provideMerge(TestDatabase),
  Layer.provide(settingsLayer()),
  Layer.merge(Logger.minimumLogLevel(LogLevel.None))
)

const newBlob = Effect.flatMap(Blobs, (blobs) => blobs.storeWhole(acme, Uint8Array.of(7)))

const attach = (blobID: BlobID) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { customerID, messageID } = yield* aMessage(1)
    yield* sql`
      insert into ticket_message_attachment
        (customer_id, ticket_message_id, file_name, content_type, is_end_user_provided, blob_id)
      values (${customerID}, ${messageID}, 'a.txt', 'text/plain', true, ${blobID})`
  })

/** The number of rows of a blob, and of notes that its bytes are still to be removed. */
const tracesOf = (blobID: BlobID) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all({
      blob: Effect.map(sql`select 1 from blob where customer_id = 1 and blob_id = ${blobID}`, (rows) => rows.length),
      note: Effect.map(
        sql`select 1 from blob_removal where customer_id = 1 and about_blob = ${blobID}`,
        (rows) => rows.length
      )
    })
  )

/** Makes the store wait or fail before each removal while the work runs. */
const meanwhile = <A, E, R>(beforeRemoval: Effect.Effect<void>, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Inside, (inside) =>
    Effect.acquireUseRelease(
      Ref.set(inside.beforeRemoval, beforeRemoval),
      () => work,
      () => Ref.set(inside.beforeRemoval, Effect.void)
    )
  )

const away = Effect.dieMessage("The store is away")

layer(service, { excludeTestServices: true })("Removing a blob that nothing refers to", (it) => {
  it.effect("holds no transaction while the store is asked, and allows no new reference from then on", () =>
    Effect.gen(function* () {
      const { held } = yield* Inside
      const blobs = yield* Blobs
      const blobID = yield* newBlob
      const [asked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(goOn))
      const work = Effect.gen(function* () {
        const removal = yield* Effect.fork(blobs.removeUnused(acme, blobID))
        yield* Effect.raceFirst(Deferred.await(asked), Fiber.join(removal))
        expect(sqlState(yield* Effect.flip(Effect.sandbox(attach(blobID))))).toEqual(Option.some("23503"))
        expect(yield* tracesOf(blobID)).toEqual({ blob: 0, note: 1 })
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(removal)
      })
      yield* meanwhile(slow, work)
      expect(held.has(blobID)).toBe(false)
      expect(yield* tracesOf(blobID)).toEqual({ blob: 0, note: 0 })
    })
  )

  it.effect("spares a blob that an open transaction is about to refer to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { held } = yield* Inside
      const blobs = yield* Blobs
      const blobID = yield* newBlob
      const [attached, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writer = yield* attach(blobID).pipe(
        Effect.zipRight(Deferred.succeed(attached, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(attached)
      const removal = yield* Effect.fork(blobs.removeUnused(acme, blobID))
      // The embedded database has one connection: there the removal waits for that.
      if (onPostgres) {
        const waiting = sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%delete from blob%'`
        yield* eventually(waiting, (rows) => rows.length === 1)
      }
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(writer)
      yield* Fiber.join(removal)
      expect(held.has(blobID)).toBe(true)
      expect(yield* tracesOf(blobID)).toEqual({ blob: 1, note: 0 })
    })
  )

  it.effect("is completed by the next removal or sweep when the store was away", () =>
    Effect.gen(function* () {
      const { held } = yield* Inside
      const blobs = yield* Blobs
      const [again, swept] = [yield* newBlob, yield* newBlob]
      for (const blobID of [again, swept]) {
        expect(Exit.isFailure(yield* meanwhile(away, Effect.exit(blobs.removeUnused(acme, blobID))))).toBe(true)
        expect(held.has(blobID)).toBe(true)
        expect(yield* tracesOf(blobID)).toEqual({ blob: 0, note: 1 })
      }
      yield* meanwhile(away, blobs.sweep)
      expect(yield* tracesOf(again)).toEqual({ blob: 0, note: 1 })
      yield* blobs.removeUnused(acme, again)
      expect([held.has(again), held.has(swept)]).toEqual([false, true])
      yield* blobs.sweep
      expect(held.has(swept)).toBe(false)
      for (const blobID of [again, swept]) expect(yield* tracesOf(blobID)).toEqual({ blob: 0, note: 0 })
    })
  )

  it.effect("can be done several times at once", () =>
    Effect.gen(function* () {
      const { held } = yield* Inside
      const blobs = yield* Blobs
      const blobID = yield* newBlob
      const all = Array.from({ length: 5 }, () => blobs.removeUnused(acme, blobID))
      yield* Effect.all([...all, blobs.sweep], { concurrency: "unbounded" })
      expect(held.has(blobID)).toBe(false)
      expect(yield* tracesOf(blobID)).toEqual({ blob: 0, note: 0 })
    })
  )
})
