import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { unscopedTables } from "../support/StatementAudit.ts"
import { testApp } from "../support/TestApp.ts"

const tables = new Set(["action", "topic", "ticket", "job"])

const good = [
  "select * from action where customer_id = $1",
  "select * from action where action_id = $2 and $1 = customer_id for update",
  "SELECT * FROM Action A WHERE A.Customer_ID = $1",
  'select * from "action" as "a" where "a"."customer_id" = $1',
  "select * from public.action where public.action.customer_id = $1",
  "select * from action where customer_id = $1::int or customer_id is null",
  "select * from action where customer_id::int = $1",
  "select * from action where (customer_id, action_id) in (select 1, 2)",
  "select * from action where customer_id is not distinct from $1",
  "select 1 from attempt where key = 'from action'",
  "select 1 -- from action\nfrom attempt",
  "select 1 /* from action /* nested */ from action */ from attempt",
  "select $tag$ from action $tag$ from attempt",
  "select extract(epoch from action) from attempt",
  "select 1 from attempt where a is distinct from action",
  "select * from action a join topic t on t.customer_id = a.customer_id and t.topic_id = a.topic_id where a.customer_id = $1",
  "select * from action a join topic t on t.topic_id = a.topic_id where a.customer_id = $1 and t.customer_id = $1",
  "select * from action a join topic t using (customer_id, topic_id) where a.customer_id = $1",
  "select * from action a, topic t where a.customer_id = $1 and t.customer_id = a.customer_id",
  "select * from action a left join lateral (select * from topic t where t.customer_id = a.customer_id) x on true where a.customer_id = $1",
  "select * from action where customer_id = $1 and exists (select 1 from topic where customer_id = $1)",
  "with mine as (select * from action where customer_id = $1) select * from mine",
  "with a as (select 1), b as (delete from topic where customer_id = $1 returning *) select * from a, b",
  "select * from action where customer_id = $1 union all select * from topic where customer_id = $1",
  "select count(*), (select count(*) from topic t where t.customer_id = a.customer_id) from action a where a.customer_id = $1",
  "insert into action (customer_id, name) values ($1, $2)",
  "insert into action as a (customer_id, name) values ($1, $2) on conflict (customer_id, name) do update set name = excluded.name where a.name <> $2",
  "insert into action (customer_id, name) select customer_id, name from topic where customer_id = $1",
  'insert into action\n  ("customer_id",\n  "name") values ($1, $2)',
  "update action set name = $1 where customer_id = $2",
  "update action a set name = t.name from topic t where t.customer_id = a.customer_id and a.customer_id = $1",
  "delete from action where customer_id = $1 returning action_id",
  "delete from action a using topic t where a.customer_id = $1 and t.customer_id = a.customer_id",
  "/* all customers: a worker takes what is due */ update job set status = 'Running'",
  "create table action (action_id integer)",
  "set transaction isolation level repeatable read"
]

const bad: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["select * from action", ["action"]],
  ["select * from action where action_id = $1", ["action"]],
  ["select customer_id from action where action_id = $1", ["action"]],
  ["select * from action where action_id = $1 order by customer_id", ["action"]],
  ["select * from action where customer_id <> $1", ["action"]],
  ["select * from action where customer_id is not null", ["action"]],
  ["select * from action where customer_id > 0", ["action"]],
  ["select * from action -- where customer_id = $1", ["action"]],
  ["select * from action /* where customer_id = $1 */", ["action"]],
  ["select * from action where name = 'customer_id = 1'", ["action"]],
  ["select * from action where name = 'it''s customer_id = 1'", ["action"]],
  ["select * from\n\n  action\n  where name = $1", ["action"]],
  ['select * from "action"', ["action"]],
  ["select * from public.action", ["action"]],
  ["select * from only action", ["action"]],
  ["select * from ACTION", ["action"]],
  ["select * from action a join topic t on t.topic_id = a.topic_id where a.customer_id = $1", ["topic"]],
  ["select * from action a join topic t on t.customer_id = a.customer_id", ["action", "topic"]],
  ["select * from action a join topic t using (customer_id)", ["action", "topic"]],
  ["select * from action a, topic t where a.customer_id = $1", ["topic"]],
  ["select * from attempt, topic", ["topic"]],
  ["select * from action where customer_id = $1 and exists (select 1 from topic where topic_id = 1)", ["topic"]],
  ["select * from action where exists (select 1 from topic where customer_id = $1)", ["action"]],
  ["select (select count(*) from topic) from action where customer_id = $1", ["topic"]],
  ["with mine as (select * from action) select * from mine where customer_id = $1", ["action"]],
  ["with gone as (delete from topic returning *) select * from gone", ["topic"]],
  ["select * from action where customer_id = $1 union select * from topic", ["topic"]],
  ["insert into action (name) values ($1)", ["action"]],
  ["insert into action values ($1, $2)", ["action"]],
  ["insert into action (name) values ($1) on conflict (customer_id) do nothing returning customer_id", ["action"]],
  ["insert into action (customer_id, name) select $1, name from topic", ["topic"]],
  ["update action set name = $1", ["action"]],
  ["update action set customer_id = $1 where action_id = $2", ["action"]],
  ["update action a set name = t.name from topic t where a.customer_id = $1", ["topic"]],
  ["delete from action where action_id = $1", ["action"]],
  ["delete from action a using topic t where a.customer_id = $1", ["topic"]],
  ["delete from attempt using topic", ["topic"]],
  ["truncate action", ["action"]],
  ["select 1; select * from action", ["action"]],
  ["/* all customers: */ select * from action", ["action"]],
  ["select '/* all customers: no comment */' from action", ["action"]]
]

describe("The statement audit", () => {
  for (const statement of good) {
    it(`lets pass: ${statement}`, () => {
      expect(unscopedTables(statement, tables)).toEqual([])
    })
  }

  for (const [statement, unscoped] of bad) {
    it(`stops: ${statement}`, () => {
      expect(unscopedTables(statement, tables)).toEqual(unscoped)
    })
  }
})

layer(testApp(), { excludeTestServices: true })("The service's database client", (it) => {
  it.effect("dies on a statement without the customer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const cause = yield* Effect.flip(Effect.sandbox(sql`select * from action`))
      expect(Cause.isDie(cause)).toBe(true)
      expect(Cause.pretty(cause)).toContain("Statement without customer_id of action")
      expect(yield* sql`select name from action where customer_id = ${1}`).not.toEqual([])
    })
  )
})
