import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { Housekeeping } from "../../src/Housekeeping.ts"
import { LookEvery } from "../../src/platform/queue/Periodically.ts"
import { eventually } from "../support/Eventually.ts"
import { heard, StatementAudit } from "../support/StatementAudit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const looksOften = Layer.succeed(LookEvery, Duration.millis(20))

layer(TestDatabase, { excludeTestServices: true })("Housekeeping", (it) => {
  it.scoped("removes what has expired, and nothing else", () =>
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
      yield* sql`insert into outbox_mail (customer_id, recipient, content, created_at) values
        (1, 'old', '', ${at("91 days")}), (1, 'kept', '', ${at("89 days")})`
      // Calls of jobs that are over or gone are removed; those of pending jobs and those that have just begun are kept.
      yield* sql`
        insert into draft_call (customer_id, ticket_message_id, work, document_id, content, begun_at)
        select 1, ticket_message_id, coalesce(job_id, gen_random_uuid()), document_id, one.content, one.begun_at
        from (values ('old', 'Succeeded', ${at("2 hours")}), ('old', null, ${at("2 hours")}),
          ('kept', 'Queued', ${at("99 days")}), ('kept', null, ${at("50 minutes")})) one (content, status, begun_at)
        left join job on job.customer_id = 1 and job.status = one.status and job.kind = 'kept',
          (select min(ticket_message_id) as ticket_message_id from ticket_message where customer_id = 1) message,
          (select min(document_id) as document_id from document where customer_id = 1) document`
      yield* Layer.build(Housekeeping.pipe(Layer.provide(StatementAudit)))
      const left = sql<{ name: string }>`/* all customers: by hand */
        select key as name from idempotency union all select token_hash from password_reset
        union all select key from attempt union all select kind from job where kind in ('kept', 'old')
        union all select recipient from outbox_mail union all select content from draft_call
        union all select case when seen_at < ${at("10 minutes")} then 'old' else 'kept' end from hub_presence`
      const rows = yield* eventually(left, (names) => names.every(({ name }) => name === "kept"))
      expect(rows).toHaveLength(9)
    })
  )

  it.scoped("removes any number of rows in small batches through an index, on one node only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = (kind: string, count: number, age: string) => sql`
        insert into job (customer_id, kind, payload, status, updated_at)
        select 1, ${kind}, '{}', 'Succeeded', now() - ${age}::interval from generate_series(1, ${count}::int)`
      const countOf = (kind: string) =>
        Effect.map(
          sql<{ count: number }>`select count(*)::int as count from job where customer_id = 1 and kind = ${kind}`,
          ([row]) => row?.count
        )
      yield* insert("Ancient", 12_000, "31 days")
      yield* insert("Recent", 12_000, "1 day")
      yield* sql.unsafe(`
        analyze job;
        create function few_only() returns trigger language plpgsql as $$ begin
          if (select count(*) from gone) > 5000 then raise exception 'too many'; end if; return null; end $$;
        create trigger few_only after delete on job referencing old table as gone
          for each statement execute function few_only()`)
      yield* sql`delete from periodic_work`
      heard.clear()
      yield* Layer.build(Layer.fresh(Housekeeping).pipe(Layer.provide(StatementAudit)))
      yield* eventually(countOf("Ancient"), (count) => count === 0)
      expect(yield* countOf("Recent")).toBe(12_000)

      const [removal = ["", []]] = [...heard].filter(([text]) => /delete from "?job"? /.test(text))
      const plan = yield* sql.unsafe(`explain (format json) ${removal[0]}`, removal[1])
      expect(JSON.stringify(plan)).toContain("job_finished")
      expect(JSON.stringify(plan)).not.toContain("Seq Scan")

      yield* insert("Ancient", 1, "31 days")
      yield* sql.unsafe(`
        create sequence looks;
        create function count_looks() returns trigger language plpgsql as $$ begin
          perform nextval('looks'); return null; end $$;
        create trigger count_looks after insert on periodic_work for each statement execute function count_looks()`)
      yield* Layer.build(Housekeeping.pipe(Layer.fresh, Layer.provide([StatementAudit, looksOften])))
      // A node that looks again has finished its look before; one of these may be the first node's.
      const looks = Effect.map(
        sql<{ count: number }>`select last_value::int as count from looks`,
        ([row]) => row?.count
      )
      yield* eventually(looks, (count = 0) => count >= 4)
      expect(yield* countOf("Ancient")).toBe(1)
    })
  )
})
