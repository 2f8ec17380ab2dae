import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customerTables } from "../../src/customerRemoval/CustomerTables.ts"
import { prepare } from "../support/Prepare.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

layer(TestDatabase, { excludeTestServices: true })("Demo data", (it) => {
  it.effect("is added once, and again when no customer is left, beside the models that remain", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customers = sql`select name from customer order by customer_id`
      const models = sql`/* all customers: by hand */ select model_id, name from model order by model_id`
      const before = { customers: yield* customers, models: yield* models }
      yield* prepare
      expect({ customers: yield* customers, models: yield* models }).toEqual(before)
      yield* sql`update customer set default_customer_rep_id = null`
      for (const table of customerTables) {
        yield* sql`/* all customers: by hand */ delete from ${sql(table)} where customer_id is not null`
      }
      yield* sql`delete from customer`
      yield* prepare
      expect({ customers: yield* customers, models: yield* models }).toEqual(before)
    })
  )
})
