import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Housekeeping } from "../../src/platform/Housekeeping.ts"
import { eventually } from "../support/Eventually.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

layer(TestDatabase, { excludeTestServices: true })("Housekeeping", (it) => {
  it.scoped("removes what has run out, and nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = (interval: string) => sql.literal(`now() - interval '${interval}'`)
      yield* sql`
        insert into idempotency (customer_id, method, path, key, request_hash, status, headers, body, created_at)
        values (1, 'POST', '/x', 'old', '', 200, '{}', '', ${at("25 hours")}),
          (1, 'POST', '/x', 'kept', '', 200, '{}', '', ${at("23 hours")})`
      yield* sql`insert into password_reset (token_hash, customer_id, customer_rep_id, expires_at)
        values ('old', 1, 1, ${at("1 second")}), ('kept', 1, 1, ${at("-1 hour")})`
      yield* sql`insert into attempt (key, failures, last_failure)
        values ('old', '{}', ${at("2 hours")}), ('kept', '{}', ${at("14 minutes")})`
      yield* sql`insert into job (customer_id, kind, payload, status, updated_at) values
        (1, 'old', '{}', 'Succeeded', ${at("31 days")}), (1, 'kept', '{}', 'Succeeded', ${at("29 days")}),
        (1, 'kept', '{}', 'Queued', ${at("99 days")})`
      yield* sql`insert into hub_presence (node_id, customer_id, customer_rep_id, seen_at) values
        (gen_random_uuid(), 1, 1, ${at("11 minutes")}), (gen_random_uuid(), 1, 1, ${at("9 minutes")})`
      yield* Layer.build(Housekeeping.pipe(Layer.provide(StatementAudit)))
      const left = sql<{ name: string }>`/* all customers: by hand */
        select key as name from idempotency union all select token_hash from password_reset
        union all select key from attempt union all select kind from job where kind in ('kept', 'old')
        union all select case when seen_at < ${at("10 minutes")} then 'old' else 'kept' end from hub_presence`
      const rows = yield* eventually(left, (names) => names.every(({ name }) => name === "kept"))
      expect(rows).toHaveLength(6)
    })
  )
})
