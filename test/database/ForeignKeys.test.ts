import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Cause, Effect, Option } from "effect"
import { sqlState } from "../../src/platform/database/Violations.ts"
import { findTenantTables } from "../support/StatementAudit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Models may be shared: such a row has no customer, and a reference to it names only the model. */
const shared = "model"

const foreignKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ name: string; from: string; to: string; columns: Array<string>; target: Array<string> }>`
    select conname as name, source.relname as "from", target.relname as "to",
      array(select a.attname::text from unnest(c.conkey) with ordinality k(n, i)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by i) as columns,
      array(select a.attname::text from unnest(c.confkey) with ordinality k(n, i)
        join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by i) as target
    from pg_constraint c join pg_class source on source.oid = c.conrelid join pg_class target on target.oid = c.confrelid
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace`
})

layer(TestDatabase, { excludeTestServices: true })("The walls between customers", (it) => {
  it.effect("every reference between tenant tables carries the customer", () =>
    Effect.gen(function* () {
      const tenants = yield* findTenantTables
      const keys = yield* foreignKeys
      const between = keys.filter(({ from, to }) => (tenants.has(from) || from === "customer") && tenants.has(to))
      expect(between.length).toBeGreaterThan(0)
      const leaky = between.filter(
        ({ columns, target, to }) => to !== shared && columns[target.indexOf("customer_id")] !== "customer_id"
      )
      expect(leaky.map(({ columns, from, to }) => `${from} (${columns}) -> ${to}`)).toEqual([])
    })
  )

  it.effect("every column named after another table's key is a reference", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenants = yield* findTenantTables
      const keys = yield* foreignKeys
      const columns = yield* sql<{ table: string; column: string }>`
        select table_name as "table", column_name as "column" from information_schema.columns
        where table_schema = 'public' and column_name ~ '_id$'`
      const loose = columns.filter(
        ({ column, table }) =>
          tenants.has(table) &&
          tenants.has(column.replace(/_id$/, "")) &&
          column !== `${table}_id` &&
          !keys.some((key) => key.from === table && key.columns.includes(column))
      )
      expect(loose.map(({ column, table }) => `${table}.${column}`)).toEqual([])
    })
  )

  it.effect("PostgreSQL refuses a row that points at another customer's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [acme, globex] = yield* sql<{ customerID: number; repID: number }>`
        select customer_id as "customerID", min(customer_rep_id) as "repID" from customer_rep
        group by customer_id order by customer_id`
      if (acme === undefined || globex === undefined) return yield* Effect.dieMessage("There are no demo customers")
      const insert = (customerID: number, repID: number) => sql`
        insert into password_reset (token_hash, customer_id, customer_rep_id, expires_at)
        values (${`${customerID} ${repID}`}, ${customerID}, ${repID}, now())`
      yield* insert(acme.customerID, acme.repID)
      const refused = yield* Effect.flip(insert(acme.customerID, globex.repID))
      expect(sqlState(Cause.fail(refused))).toEqual(Option.some("23503"))
      const moved = yield* Effect.flip(
        sql`update customer_rep set customer_id = ${globex.customerID} where customer_rep_id = ${acme.repID}`
      )
      expect(sqlState(Cause.fail(moved))).toEqual(Option.some("23503"))
    })
  )

  it.effect("every tenant table names its customer and finds it by an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ table: string; required: boolean; indexed: boolean; referenced: boolean }>`
        select c.relname as "table", a.attnotnull as required, exists (
            select 1 from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null) as indexed,
          exists (select 1 from pg_constraint f where f.contype = 'f' and f.conrelid = c.oid and a.attnum = any(f.conkey)
            and f.confrelid <> ${shared}::regclass) as referenced
        from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
        where c.relnamespace = 'public'::regnamespace and a.attname = 'customer_id' and c.relname <> 'customer'
        order by 1`
      const faulty = (fault: (table: (typeof tables)[number]) => boolean) =>
        tables.filter(fault).map(({ table }) => table)
      expect(tables.length).toBeGreaterThan(5)
      expect(faulty(({ required }) => !required)).toEqual([shared])
      expect(faulty(({ indexed, table }) => !indexed && table !== shared)).toEqual([])
      expect(faulty(({ referenced }) => !referenced)).toEqual([])
    })
  )
})
