import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Stream } from "effect"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { BlobID } from "../../src/files/BlobStore.ts"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import { BlobSweep, RemovalTiming } from "../../src/files/BlobSweep.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { BlobsRepo, referringTables } from "../../src/files/BlobsRepo.ts"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { aMessage } from "./Messages.ts"

const service = (after: Duration.Duration) =>
  BlobSweep.pipe(
    Layer.provide(Layer.succeed(RemovalTiming, { after })),
    Layer.provideMerge(Blobs.layer),
    Layer.provide(Jobs.layer),
    Layer.provide(Stopping.layer),
    Layer.provide(BlobsRepo.layer),
    Layer.provide(BlobStoreLive),
    Layer.provide(StatementAudit),
    Layer.provideMerge(TestDatabase),
    Layer.provide(settingsLayer({ BLOB_STORE: "postgres" }))
  )

const bytes = (count: number) => Stream.range(1, count).pipe(Stream.map(() => Uint8Array.of(7)))

const attach = (customerID: CustomerID, messageID: TicketMessageID, blobID: BlobID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into ticket_message_attachment
        (customer_id, ticket_message_id, file_name, content_type, is_end_user_provided, blob_id)
      values (${customerID}, ${messageID}, 'a.txt', 'text/plain', true, ${blobID})`
  )

const makeOlder = (blobID: BlobID, age: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update blob set created_at = now() - ${age}::interval where customer_id = 1 and blob_id = ${blobID}`
  )

const kept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string; chunks: number }>`
    select blob_id as id, (select count(*)::int from blob_chunk c
      where c.customer_id = blob.customer_id and c.blob_id = blob.blob_id) as chunks
    from blob where customer_id = 1`
  return new Map(rows.map(({ chunks, id }) => [id, chunks]))
})

layer(service(Duration.zero), { excludeTestServices: true })("Blobs", (it) => {
  it.effect("are counted while they are stored", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { customerID } = yield* aMessage(1)
      const { blobID, size } = yield* blobs.store(customerID, bytes(100), 100)
      expect(size).toBe(100)
      const part = yield* Stream.runCollect(blobs.open(customerID, blobID, { start: 10, end: 19 }))
      expect(Buffer.concat([...part])).toHaveLength(10)
    })
  )

  it.effect("leave nothing when they are too large, without waiting for the rest", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { customerID } = yield* aMessage(1)
      const before = yield* kept
      const error = yield* Effect.flip(blobs.store(customerID, Stream.concat(bytes(101), Stream.never), 100))
      expect(error.status).toBe(413)
      expect(yield* kept).toEqual(before)
    })
  )

  it.effect("are swept away an hour later when nothing refers to them", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { customerID, messageID } = yield* aMessage(1)
      const [attached, old, young] = yield* Effect.all([
        blobs.store(customerID, bytes(1), 1),
        blobs.store(customerID, bytes(1), 1),
        blobs.store(customerID, bytes(1), 1)
      ])
      yield* attach(customerID, messageID, attached.blobID)
      yield* makeOlder(attached.blobID, "2 hours")
      yield* makeOlder(old.blobID, "61 minutes")
      yield* makeOlder(young.blobID, "59 minutes")
      yield* blobs.sweep
      const after = yield* kept
      expect(after.get(attached.blobID)).toBe(1)
      expect(after.get(young.blobID)).toBe(1)
      expect(after.has(old.blobID)).toBe(false)
    })
  )

  it.effect("are removed when they are discarded and unused, but not when the transaction is rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const { customerID, messageID } = yield* aMessage(1)
      const first = yield* blobs.store(customerID, bytes(1), 1)
      const second = yield* blobs.store(customerID, bytes(1), 1)
      const third = yield* blobs.store(customerID, bytes(1), 1)
      yield* attach(customerID, messageID, third.blobID)
      yield* Effect.zipRight(blobs.discard(customerID, first.blobID), Effect.fail("rolled back")).pipe(
        sql.withTransaction,
        Effect.flip
      )
      yield* blobs.discard(customerID, third.blobID)
      yield* blobs.discard(customerID, second.blobID)
      const after = yield* eventually(kept, (left) => !left.has(second.blobID))
      expect(after.get(first.blobID)).toBe(1)
      expect(after.get(third.blobID)).toBe(1)
    })
  )

  it.effect("are looked for in every table that refers to them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ table: string }>`
        select conrelid::regclass::text as "table" from pg_constraint
        where contype = 'f' and confrelid = 'blob'::regclass and conrelid <> 'blob_chunk'::regclass`
      expect(rows.map(({ table }) => table).sort()).toEqual([...referringTables].sort())
    })
  )
})

layer(service(Duration.hours(1)), { excludeTestServices: true })("Blobs that somebody may still be reading", (it) => {
  it.effect("stay for a while when they are discarded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const { customerID } = yield* aMessage(1)
      const { blobID } = yield* blobs.store(customerID, bytes(1), 1)
      yield* blobs.discard(customerID, blobID)
      const waiting = sql`
        select 1 from job where customer_id = ${customerID} and kind = 'RemoveBlob' and status = 'Queued'
          and due_at > now() + interval '30 minutes'`
      yield* eventually(waiting, ({ length }) => length === 1)
      yield* makeOlder(blobID, "2 hours")
      yield* blobs.sweep
      expect((yield* kept).get(blobID)).toBe(1)
      const old = JSON.stringify("2026-01-01T00:00:00.000Z")
      yield* sql`
        update job set due_at = now(), payload = jsonb_set(payload, '{discardedAt}', ${old}::jsonb)
        where customer_id = ${customerID} and kind = 'RemoveBlob'`
      yield* eventually(kept, (left) => !left.has(blobID))
    })
  )

  it.effect("fail to be read when they have lost a piece, instead of looking whole", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const { customerID } = yield* aMessage(1)
      const chunk = new Uint8Array(256 * 1024)
      const { blobID } = yield* blobs.store(customerID, Stream.make(chunk, chunk, chunk, chunk), 2 ** 20)
      const read = Stream.runCount(blobs.open(customerID, blobID))
      expect(yield* read).toBe(4)
      yield* sql`
        delete from blob_chunk where customer_id = ${customerID} and blob_id = ${blobID} and position >= 2`
      expect(Exit.isFailure(yield* Effect.exit(read))).toBe(true)
    })
  )
})
