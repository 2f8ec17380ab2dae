import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"

const customerID = CustomerID.make(1)

layer(testApp(), { excludeTestServices: true })("GET /api/Jobs/{jobID}", (it) => {
  it.effect("shows how far a job is while it runs, and how it ended", () =>
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const client = (yield* clientOf("acme-admin")).jobs
      const kind = { kind: "Counting", payload: Schema.Struct({}) }
      const gate = yield* Effect.makeSemaphore(0)
      yield* jobs.handle(kind, (_customerID, _payload, claim) =>
        Effect.gen(function* () {
          yield* claim.advance({ total: 3 })
          yield* gate.take(1)
          yield* claim.advance({ done: 2, imported: 1, skipped: 1 })
          yield* gate.take(1)
          yield* claim.advance({ done: 1, failed: 1 })
        })
      )
      const path = { id: yield* jobs.enqueue(kind, customerID, {}) }
      const state = client.getJob({ path })
      expect(yield* eventually(state, ({ total }) => total === 3)).toMatchObject({ status: "Running", done: 0 })
      yield* gate.release(1)
      const middle = yield* eventually(state, ({ done }) => done === 2)
      expect(middle).toMatchObject({ status: "Running", total: 3, imported: 1, skipped: 1, failed: 0, error: null })
      yield* gate.release(1)
      const end = yield* eventually(state, ({ status }) => status === "Succeeded")
      expect(end).toMatchObject({ jobID: path.id, kind: "Counting", done: 3, imported: 1, skipped: 1, failed: 1 })
    })
  )

  it.effect("says why a job failed, and reports one that waits for its next turn as running", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { jobs } = yield* clientOf("acme-admin")
      const insert = (status: string, done: number, error: string | null) =>
        Effect.flatMap(
          sql<{ id: string }>`
            insert into job (customer_id, kind, payload, status, done, error)
            values (${customerID}, 'Nobody''s', '{}'::jsonb, ${status}, ${done}, ${error}) returning job_id::text as id`,
          ([row]) => Effect.map(Effect.fromNullable(row), ({ id }) => ({ id: JobID.make(id) }))
        )
      const failed = yield* jobs.getJob({ path: yield* insert("Failed", 0, "the mailbox is gone") })
      expect(failed).toMatchObject({ status: "Failed", error: "the mailbox is gone" })
      expect(yield* jobs.getJob({ path: yield* insert("Queued", 0, null) })).toMatchObject({ status: "Queued" })
      expect(yield* jobs.getJob({ path: yield* insert("Queued", 5, null) })).toMatchObject({ status: "Running" })
    })
  )

  it.effect("returns 404 for an unknown job or another customer's, and 400 for an id that is not a GUID", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        id: string
      }>`select job_id::text as id from job where customer_id = ${customerID} limit 1`
      const ask = (username: string, id: string | undefined) =>
        Effect.flatMap(tokenOf(username), (token) => sendJson("GET", `/api/Jobs/${id}`, { token }))
      expect((yield* ask("acme-agent", row?.id)).status).toBe(200)
      expect((yield* ask("globex-admin", row?.id)).status).toBe(404)
      expect((yield* ask("acme-agent", "00000000-0000-4000-8000-000000000000")).status).toBe(404)
      expect((yield* ask("acme-agent", "7")).status).toBe(400)
    })
  )
})
