import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Random, Stream } from "effect"
import { CustomerID, EndUserID } from "../../schema/Ids.ts"
import { ExportFile } from "../../src/dataRights/ExportFile.ts"
import type { UnkeyedMails } from "../../src/dataRights/UnkeyedRows.ts"
import { BlobID } from "../../src/files/BlobStore.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { eventually } from "../support/Eventually.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

const person = {
  customerID: CustomerID.make(1),
  endUserID: EndUserID.make(1),
  addresses: [],
  marks: ["axolotl"],
  ticketIDs: [],
  messageIDs: []
}

const found = {
  failedMailIDs: [],
  externalIDs: [],
  aiRunIDs: [],
  jobID: "00000000-0000-4000-8000-000000000000"
}

const oneMail = {
  setAsideMails: [{ failedMailID: 1, externalID: "one", blobID: BlobID.make("00000000-0000-4000-8000-000000000001") }],
  outboxMails: []
}

const blobsOf = (content: Stream.Stream<Uint8Array>) =>
  Layer.mock(Blobs, {
    open: () => content,
    reader: () => {
      throw new Error("An export opens whole files")
    }
  })

/** Starts an export in which every file has this content. */
const startExport = (content: Stream.Stream<Uint8Array>, unkeyed: UnkeyedMails) =>
  Layer.build(ExportFile.layer.pipe(Layer.provide(blobsOf(content)))).pipe(
    Effect.flatMap((context) => Context.get(context, ExportFile).write(person, unkeyed, found)),
    Effect.map(({ bytes }) => bytes)
  )

/** An endless stream of bytes that cannot be compressed; counts how often it is open. */
const endless = () => {
  let [opened, open] = [0, 0]
  const piece = Effect.map(Random.nextIntBetween(0, 2 ** 32), (seed) =>
    Uint8Array.from({ length: 20_000 }, (_, index) => Math.imul(seed ^ index, 2_654_435_761) >>> 24)
  )
  const bytes = Stream.acquireRelease(
    Effect.sync(() => {
      opened += 1
      open += 1
    }),
    () => Effect.sync(() => (open -= 1))
  ).pipe(Stream.flatMap(() => Stream.repeatEffect(piece)))
  return { bytes, opened: () => opened, open: () => open }
}

layer(TestDatabase, { excludeTestServices: true })("An export that breaks off", (it) => {
  it.scoped("closes the file that it was reading, whether it fails or is interrupted", () =>
    Effect.gen(function* () {
      const file = endless()
      const bytes = yield* startExport(file.bytes, oneMail)
      const failed = yield* bytes.pipe(
        Stream.mapEffect(() => (file.opened() === 0 ? Effect.void : Effect.fail("full disk"))),
        Stream.runDrain,
        Effect.flip
      )
      expect(failed).toBe("full disk")
      yield* eventually(Effect.sync(file.open), (open) => open === 0, "10 seconds")

      const reached = yield* Deferred.make<void>()
      const reader = yield* bytes.pipe(
        Stream.runForEach(() => Effect.when(Deferred.succeed(reached, undefined), () => file.opened() === 2)),
        Effect.fork
      )
      yield* Deferred.await(reached)
      expect(file.open()).toBe(1)
      yield* Fiber.interrupt(reader)
      yield* eventually(Effect.sync(file.open), (open) => open === 0, "10 seconds")
    })
  )

  if (onPostgres) {
    it.scoped("gives its connection back", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into job (customer_id, kind, payload, status, error)
          select 1, 'Unknown', '{}', 'Failed', 'axolotl ' || (select string_agg(md5(random()::text), '') from
            generate_series(1, 30) where number > 0)
          from generate_series(1, 5000) number`
        const bytes = yield* startExport(Stream.empty, { setAsideMails: [], outboxMails: [] })
        const failing = bytes.pipe(
          Stream.drop(3),
          Stream.mapEffect(() => Effect.fail("full disk")),
          Stream.runDrain,
          Effect.flip
        )
        // More attempts than there are connections.
        for (let attempt = 0; attempt < 25; attempt++) yield* Effect.timeout(failing, "10 seconds")
      })
    )
  }
})
