import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { askForReset, freshAddress, resetPassword } from "../support/Logins.ts"
import { testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { timesAsLong } from "./TimesCompared.ts"

const jobs = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ status: string }>`/* all customers: by hand */ select status from job`
)

const allDone = eventually(jobs, (rows) => rows.every(({ status }) => status === "Succeeded"))

layer(testApp(), { excludeTestServices: true })("Password reset throttle", (it) => {
  it.effect("silently stops mailing an address after ten requests", () =>
    Effect.gen(function* () {
      const { count, next } = yield* TestMailer
      yield* allDone
      expect(yield* count).toBe(0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from attempt`
      for (const _ of Array.range(1, 12)) {
        const answer = yield* askForReset("Admin@Acme.example")
        expect([answer.status, answer.text]).toEqual([200, "{}"])
      }
      yield* allDone
      expect(yield* count).toBe(10)
      const [row] = yield* sql<{ most: number }>`select max(cardinality(failures))::int as most from attempt`
      expect(row?.most).toBe(10)
      yield* Effect.replicateEffect(next, 10)
    })
  )

  it.effect("stops a client that asks for many addresses or guesses tokens", () =>
    Effect.gen(function* () {
      const { count } = yield* TestMailer
      const address = freshAddress()
      for (const number of Array.range(1, 10)) yield* askForReset(`nobody-${number}@x.example`, "localhost", address)
      expect((yield* askForReset("admin@globex.example", "localhost", address)).status).toBe(200)
      yield* allDone
      expect(yield* count).toBe(0)

      for (const _ of Array.range(1, 10)) yield* resetPassword(crypto.randomUUID(), "Brand-New-1", address)
      const refused = yield* resetPassword(crypto.randomUUID(), "Brand-New-1", address)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    })
  )

  it.effect("takes about as long for an unknown address", () =>
    Effect.gen(function* () {
      const ratio = yield* timesAsLong(
        (round) => askForReset(`nobody-${round}@globex.example`),
        askForReset("admin@globex.example"),
        // Wait for the mail that follows, which would slow down the next request.
        { within: [0.5, 2], between: allDone }
      )
      expect(ratio).toBeGreaterThan(0.5)
      expect(ratio).toBeLessThan(2)
    })
  )
})
