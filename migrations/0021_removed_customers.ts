import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Customers that are gone or on their way, so that no node takes their tokens any more, nor one that starts later.
    create table removed_customer (
      -- No reference: it outlives the customer by a day.
      about_customer integer primary key,
      removed_at timestamptz not null default now()
    );
  `)
})
